/** The errors and warnings that a change of a file brought, as the editor's language extensions report them. */

import type { CodeProblem, Language } from '../../../ports.ts';
import { byWorst, showProblem } from '../code/readProblems.ts';

const MOST_TOLD = 10;

/** Makes the change. Returns what the model is told of new problems; empty when there are none, or nobody knows. */
export async function problemsBrought(
  path: string,
  change: () => Promise<void>,
  language: Language | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (!language) {
    await change();
    return '';
  }
  const around = await language.problemsAround(path, change, signal);
  if (!around) return '';
  const brought = newProblems(around.before, around.after).sort(byWorst);
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
