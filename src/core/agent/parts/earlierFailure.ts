/** An earlier run of the same command that failed alike and is out of view, with what followed it. */

import { commandOf } from '../../compaction/draft/commandResults.ts';
import { pathsIn, WRITES } from '../../compaction/draft/filesInCalls.ts';
import type { ToolMessage } from '../../context/message.ts';
import type { Projection } from '../../context/projection.ts';
import { countTokens, takeTokens } from '../../tokens/estimate.ts';
import { showInOneLine } from '../../tools/text/showHidden.ts';
import { nameMessage, type Taken, takenFrom } from './hiddenMessages.ts';
import { MOST_TOKENS } from './hiddenText.ts';
import { MOST_PATHS } from './nearPaths.ts';

const FAILED = /^(?:exit code (?!0\b)-?\d+|ended )/;

const TELLING = /error|fail|exception|denied|not found|assert|panic|✗|✖|×/i;

const MOST_TELLING = 12;

export const hasFailed = ({
  text,
  isError,
}: {
  readonly text: string;
  readonly isError?: boolean | undefined;
}): boolean => isError === true || FAILED.test(text);

/** Lines that say what went wrong. */
const tellingIn = (text: string): string[] =>
  text.split('\n').filter((line) => TELLING.test(line) && !line.startsWith('exit code '));

/** The same line in two runs differs in durations, addresses and the like. */
const withoutNumbers = (line: string): string => line.trim().replace(/0x[\da-f]+|\d+(?:[.,:]\d+)*/gi, '#');

function isAlike(one: string, other: string): boolean {
  const [mine, theirs] = [tellingIn(one).map(withoutNumbers), tellingIn(other).map(withoutNumbers)];
  if (mine.length === 0 || theirs.length === 0)
    return mine.length === theirs.length && firstLine(one) === firstLine(other);
  return mine.some((line) => theirs.includes(line));
}

const firstLine = (text: string): string => text.slice(0, text.indexOf('\n') >>> 0);

interface Run {
  readonly id: string;
  readonly result: ToolMessage;
  /** Files changed after it and before the next run of the same command. */
  readonly changed: string[];
}

/** The newest run that failed alike and is out of view, and what followed it; empty where there is none. */
export function describeEarlierFailure(command: string, text: string, context: Projection): string {
  const taken = [...takenFrom(context)];
  const hidden = new Set(taken.map(({ id }) => id));
  if (hidden.size === 0) return '';
  const runs = runsOf(command, [...taken.reverse(), ...context.conversation.filter(({ id }) => !hidden.has(id))]);
  const at = runs.findLastIndex(({ id, result }) => hidden.has(id) && hasFailed(result) && isAlike(result.text, text));
  const run = runs[at];
  if (!run) return '';
  const next = runs[at + 1]?.result;
  const then =
    run.changed.length === 0 ? 'No file was changed before it ran again' : `Then ${run.changed.join(', ')} changed`;
  const ended = next === undefined ? '' : hasFailed(next) ? ', and it failed again' : ', and it passed';
  const heading = `It failed alike before, in ${nameMessage({ id: run.id, message: run.result })}, which a compaction took from view:`;
  const last = `${takeTokens(then, MOST_TOKENS / 2)}${ended}. Recall gives all of it.`;
  const left = MOST_TOKENS - countTokens(heading) - countTokens(last) - 2;
  const lines = takeTokens(tellingIn(run.result.text).slice(0, MOST_TELLING).join('\n'), left);
  return [heading, lines, last].filter(Boolean).join('\n');
}

/** In order. `messages` of the path, taken ones in their places. */
function runsOf(command: string, messages: readonly Taken[]): Run[] {
  const ordered = messages.toSorted((a, b) => placeOf(a) - placeOf(b));
  const open = new Set<string>();
  const runs: Run[] = [];
  for (const { id, message } of ordered) {
    if (message.role === 'assistant') {
      for (const call of message.toolCalls ?? []) {
        if (commandOf(call) === command) open.add(call.id);
        if (WRITES.test(call.name)) runs.at(-1)?.changed.push(...pathsIn(call.arguments).map(showInOneLine));
      }
    } else if (message.role === 'tool' && open.delete(message.toolCallId))
      runs.push({ id, result: message, changed: [] });
  }
  return runs.map((run) => ({ ...run, changed: [...new Set(run.changed)].slice(0, MOST_PATHS) }));
}

/** Ids begin with a letter and the number of their entry. */
const placeOf = ({ id }: Taken): number => Number.parseInt(id.slice(1), 10) || 0;
