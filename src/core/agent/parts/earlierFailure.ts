/** An earlier run of the same command that failed alike and is out of view, with what followed it. */

import { commandOf } from '../../calls/commandsInCalls.ts';
import { effectsOf, namesIn } from '../../calls/effects.ts';
import { tellingLines } from '../../calls/errorMessage.ts';
import { readOutcome } from '../../calls/outcome.ts';
import type { CallOutcome, ToolCall, ToolMessage } from '../../context/message.ts';
import type { Projection } from '../../context/projection.ts';
import { countTokens, takeTokens } from '../../tokens/estimate.ts';
import { canRecall } from '../../tools/builtIn/recall.ts';
import { showInOneLine } from '../../tools/text/showHidden.ts';
import { nameMessage, type Taken, takenFrom } from './hiddenMessages.ts';
import { MOST_TOKENS } from './hiddenText.ts';
import { MOST_PATHS } from './nearPaths.ts';

const MOST_TELLING = 12;

/** For runs that did not come to a good end; null for others, and for calls that never ran. */
function howItEnded({ kind }: CallOutcome): 'failed' | 'was stopped' | null {
  if (kind === 'failed') return 'failed';
  return kind === 'interrupted' ? 'was stopped' : null;
}

/** The same line in two runs differs in durations, addresses and the like. */
const withoutNumbers = (line: string): string => line.trim().replace(/0x[\da-f]+|\d+(?:[.,:]\d+)*/gi, '#');

function isAlike(one: string, other: string): boolean {
  const [mine, theirs] = [tellingLines(one).map(withoutNumbers), tellingLines(other).map(withoutNumbers)];
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
  const at = runs.findLastIndex(
    ({ id, result }) => hidden.has(id) && howItEnded(readOutcome(result)) && isAlike(result.text, text),
  );
  const run = runs[at];
  if (!run) return '';
  const next = runs[at + 1]?.result;
  const then =
    run.changed.length === 0 ? 'No file was changed before it ran again' : `Then ${run.changed.join(', ')} changed`;
  const ended = next === undefined ? '' : describeNext(readOutcome(next));
  const heading = `It ${howItEnded(readOutcome(run.result))} alike before, in ${nameMessage({ id: run.id, message: run.result })}, which a compaction took from view:`;
  const last = `${takeTokens(then, MOST_TOKENS / 2)}${ended}.${canRecall(context) ? ' Recall gives all of it.' : ''}`;
  const left = MOST_TOKENS - countTokens(heading) - countTokens(last) - 2;
  const lines = takeTokens(tellingLines(run.result.text).slice(0, MOST_TELLING).join('\n'), left);
  return [heading, lines, last].filter(Boolean).join('\n');
}

/** Only an exit code says that it passed. */
function describeNext(outcome: CallOutcome): string {
  const ended = howItEnded(outcome);
  if (ended) return ended === 'failed' ? ', and it failed again' : `, and it ${ended}`;
  return outcome.exitCode === 0 ? ', and it passed' : '';
}

/** In order. `messages` of the path, taken ones in their places. */
function runsOf(command: string, messages: readonly Taken[]): Run[] {
  const ordered = messages.toSorted((a, b) => placeOf(a) - placeOf(b));
  const open = new Map<string, ToolCall>();
  const runs: Run[] = [];
  for (const { id, message } of ordered) {
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) open.set(call.id, call);
    if (message.role !== 'tool') continue;
    const call = open.get(message.toolCallId);
    open.delete(message.toolCallId);
    if (!call) continue;
    if (commandOf(call) === command && hasRun(message)) runs.push({ id, result: message, changed: [] });
    else runs.at(-1)?.changed.push(...namesIn(effectsOf(call, message)).map(showInOneLine));
  }
  return runs.map((run) => ({ ...run, changed: [...new Set(run.changed)].slice(0, MOST_PATHS) }));
}

function hasRun(result: ToolMessage): boolean {
  const { kind } = readOutcome(result);
  return kind !== 'declined' && kind !== 'refused' && !result.notRun;
}

/** Ids begin with a letter and the number of their entry. */
const placeOf = ({ id }: Taken): number => Number.parseInt(id.slice(1), 10) || 0;
