/**
 * `read_problems`: the errors and warnings that the editor shows, worst first. A new reading makes the previous one
 * obsolete, so only the newest result for a file or folder stays in the context.
 */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import type { FileFacts } from '../../workspace/files.ts';
import type { CodeProblem, Severity } from '../../workspace/language.ts';
import { showInOneLine } from '../text/showHidden.ts';
import { defineTool } from '../tool.ts';
import { explainOmissions, languageOf, readablePlaces, showPlace, showShort } from './readablePlaces.ts';

const MOST_PROBLEMS = 100;
/** Characters of one message. */
const LONGEST_MESSAGE = 400;
const WORST_FIRST: readonly Severity[] = ['error', 'warning', 'information'];

export const readProblems = defineTool({
  name: 'read_problems',
  alsoCalled: ['lsp', 'problems'],
  toolClass: 'read',
  description:
    'Read the errors and warnings that the editor’s language extensions report, worst first. Of a folder and of the ' +
    'workspace only those of files that the extensions have looked at are known; name a file to have it looked at.',
  input: z.strictObject({
    path: z.string().optional().describe('Workspace-relative file or folder; without it, the whole workspace'),
  }),
  offered: (_, { language }) => language !== undefined,
  async prepare({ path }, ports) {
    const { files } = ports;
    const language = languageOf(ports);
    const within = path === undefined ? null : await files.resolve(path);
    const where = within ? showInOneLine(within.shown) : 'the workspace';
    if (within?.exists === false) throw new ToolError(`${where} does not exist. list_files shows what does.`);
    return {
      title: within ? where : '',
      approval: null,
      changes: [],
      async run({ signal }) {
        const { problems, reported } = await language.problems(within?.type === 'file' ? within.shown : null, signal);
        const { places, left, beyond } = await readablePlaces(
          problems.filter(isWithin(within)).sort(byWorst),
          files,
          signal,
        );
        const lines = places.slice(0, MOST_PROBLEMS).map(showProblem);
        const notes = explainOmissions({
          more: beyond + places.length - lines.length,
          outside: left,
          how: 'name a file or folder',
        });
        const none = reported
          ? `The editor knows no problems in ${where}.`
          : `No extension has reported on ${where}, so whether anything is wrong in it is not known.`;
        const head = lines.length === 0 ? none : countProblems(places, where);
        const ephemeral = { keepNewest: 1, of: 'call' } as const;
        return { text: [head, ...lines, ...notes].join('\n'), ephemeral, headed: true };
      },
    };
  },
});

function isWithin(facts: FileFacts | null): (problem: CodeProblem) => boolean {
  if (!facts || facts.shown === '.') return () => true;
  return ({ path }) => path === facts.shown || path.startsWith(`${facts.shown}/`);
}

export function byWorst(a: CodeProblem, b: CodeProblem): number {
  const bySeverity = WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity);
  if (bySeverity !== 0) return bySeverity;
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

export function showProblem(problem: CodeProblem): string {
  const { severity, message, source } = problem;
  const from = source === '' ? '' : ` (${showShort(source, 100)})`;
  return `${showPlace(problem)}: ${severity}: ${showShort(message, LONGEST_MESSAGE)}${from}`;
}

function countProblems(problems: readonly CodeProblem[], where: string): string {
  const counts = WORST_FIRST.map((severity) => [
    problems.filter((each) => each.severity === severity).length,
    severity,
  ]);
  return `Problems in ${where}: ${counts.map(([count, severity]) => `${severity} ${count}`).join(', ')}`;
}
