/** The errors and warnings that a change of a file brought, as the editor's language extensions report them. */

import type { CodeProblem, Language } from '../../../ports.ts';
import { byWorst, showProblem } from '../code/readProblems.ts';

const MOST_TOLD = 10;

/**
 * Makes the change. Returns what the model is told of new problems; empty when there are none, or nobody knows. Throws what
 * the change throws, and nothing else.
 */
export async function problemsBrought(
  path: string,
  change: () => Promise<void>,
  language: Language | undefined,
  signal: AbortSignal,
): Promise<string> {
  const edit = { begun: false, made: false };
  const make = async () => {
    edit.begun = true;
    await change();
    edit.made = true;
  };
  const around = await language?.problemsAround(path, make, signal).catch((thrown: unknown) => {
    // What goes wrong in extensions is no fault of the edit.
    if (edit.begun && !edit.made) throw thrown;
    return null;
  });
  if (!edit.begun) await make();
  return around ? tellNew(around.before, around.after) : '';
}

function tellNew(before: readonly CodeProblem[], after: readonly CodeProblem[]): string {
  const brought = newProblems(before, after).sort(byWorst);
  if (brought.length === 0) return '';
  const more = brought.length - MOST_TOLD;
  const lines = brought.slice(0, MOST_TOLD).map(showProblem);
  const rest = more > 0 ? [`and ${more} more`] : [];
  return ['', 'Problems that the editor did not show before:', ...lines, ...rest].join('\n');
}

/** A problem that only moved to another line is an old one. */
function newProblems(before: readonly CodeProblem[], after: readonly CodeProblem[]): CodeProblem[] {
  const old = new Map<string, number>();
  for (const problem of before) old.set(keyOf(problem), (old.get(keyOf(problem)) ?? 0) + 1);
  return after.filter((problem) => {
    if (problem.severity === 'information') return false;
    const left = old.get(keyOf(problem)) ?? 0;
    old.set(keyOf(problem), left - 1);
    return left <= 0;
  });
}

const keyOf = ({ severity, source, message }: CodeProblem) => JSON.stringify([severity, source, message]);
