/**
 * Adds to a failed call what spares the model a reread: paths that exist beside the one that does not, and what
 * messages said that a compaction took from its view. Nothing is shown that the model could not read with its tools.
 */

import { commandOf } from '../compaction/draft/commandResults.ts';
import { pathsIn, WRITES } from '../compaction/draft/filesInCalls.ts';
import type { Message, ToolCall, ToolMessage } from '../context/message.ts';
import type { Projection } from '../context/projection.ts';
import { isAbort } from '../errors.ts';
import { parseJson } from '../json.ts';
import { countTokens, takeTokens } from '../tokens/estimate.ts';
import { NOT_FOUND } from '../tools/builtIn/editFile.ts';
import { LINE_NUMBER, likenessOf } from '../tools/text/findText.ts';
import { neutralise } from '../tools/text/neutralise.ts';
import { showInOneLine } from '../tools/text/showHidden.ts';
import type { ToolOutcome, ToolPorts } from '../tools/tool.ts';
import type { Files } from '../workspace/files.ts';

/** Tokens of what is added. */
const MOST_TOKENS = 300;

/** Messages that are looked through, the newest first, and their characters. */
const MOST_MESSAGES = 1_000;
const MOST_CHARACTERS = 4_000_000;

/** Returns the outcome as it is where there is nothing to add. */
export async function repairCall(
  call: ToolCall,
  outcome: ToolOutcome,
  { files, session }: Pick<ToolPorts, 'files' | 'session'>,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const reported = await findRepair(call, outcome, files, session.context, signal).catch((thrown: unknown) => {
    if (signal.aborted || isAbort(thrown)) throw thrown;
    // The refusal stands by itself: a search that fails must not take it away.
    return '';
  });
  return reported === '' ? outcome : { ...outcome, text: `${outcome.text}\n\n${neutralise(reported).toWellFormed()}` };
}

async function findRepair(
  call: ToolCall,
  { text, isError }: ToolOutcome,
  files: Files,
  context: Projection,
  signal: AbortSignal,
): Promise<string> {
  const command = commandOf(call);
  if (command !== null) return hasFailed({ text, isError }) ? describeEarlierFailure(command, text, context) : '';
  if (!isError) return '';
  if (text.includes(NOT_FOUND)) return describeHiddenText(oldTextsOf(call), hiddenIn(context), EDIT_TOKENS);
  const missing = /does not exist/.test(text) ? await findMissing(call, files) : null;
  if (missing === null) return '';
  const near = await describeNearPaths(missing, files, signal);
  const left = MOST_TOKENS - countTokens(near);
  return [near, describeHiddenText([nameOf(missing)], hiddenIn(context), left)].filter(Boolean).join('\n');
}

// Messages that a compaction took from view.

interface Taken {
  readonly id: string;
  readonly message: Message;
}

/** The newest first. Results that merely expired are out of date and not meant. */
function* takenFrom(context: Projection): Generator<Taken> {
  const seen = new Set<string>();
  let characters = 0;
  for (const { plan, trigger } of context.newestCompactions()) {
    if (trigger === 'ephemeral') continue;
    const ids = plan.flatMap((op) => (op.op === 'drop' ? op.ids : op.op === 'replace' ? [op.id] : []));
    for (const id of ids.reverse()) {
      if (seen.has(id)) continue;
      seen.add(id);
      if (seen.size > MOST_MESSAGES || characters > MOST_CHARACTERS) return;
      const slot = context.slot(id);
      if (!slot || slot.shown === 'whole') continue;
      const { message } = slot;
      characters += message.text.length;
      yield { id, message };
    }
  }
}

function* hiddenIn(context: Projection): Generator<HiddenMessage> {
  for (const taken of takenFrom(context)) yield { name: nameMessage(taken), text: textOf(taken.message) };
}

const nameMessage = ({ id, message }: Taken): string =>
  `${id} (${message.role === 'tool' ? `result of ${showInOneLine(message.toolName)}` : message.role})`;

function textOf(message: Message): string {
  if (message.role !== 'assistant') return message.text;
  const texts = (message.toolCalls ?? []).flatMap((call) => [...fieldsIn(parseJson(call.arguments))]);
  return [message.text, ...texts.map(([, text]) => text)].join('\n');
}

/** The texts in a call's arguments, each with the name of its field. */
function* fieldsIn(value: unknown, name = ''): Generator<readonly [name: string, text: string]> {
  if (typeof value === 'string') yield [name, value];
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) yield* fieldsIn(each, key);
}

/** The texts that an edit looked for. */
function oldTextsOf({ arguments: json }: ToolCall): string[] {
  return [...fieldsIn(parseJson(json))].flatMap(([name, text]) => (name === 'old_string' ? [text] : []));
}

// Paths.

const MOST_PATHS = 4;
const LEAST_LIKENESS = 0.5;

/** The first path of the call that leads nowhere; null where each leads somewhere. */
async function findMissing({ arguments: json }: ToolCall, files: Files): Promise<string | null> {
  for (const path of pathsIn(json)) {
    const { exists, shown } = await files.resolve(path);
    if (!exists) return shown;
  }
  return null;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Files of the same name elsewhere, or else the names most like it in its folder. */
async function describeNearPaths(missing: string, files: Files, signal: AbortSignal): Promise<string> {
  const name = nameOf(missing);
  // A question mark stands for any character that a glob would read in another way.
  const { paths } = await files.find({ glob: `**/${name.replace(/[^\w.-]/g, '?')}` }, MOST_PATHS, signal);
  const near = paths.length > 0 ? paths : await likeNames(missing, files);
  return near.length === 0 ? '' : `There is: ${near.map(showInOneLine).join(', ')}`;
}

async function likeNames(missing: string, files: Files): Promise<string[]> {
  const folder = missing.slice(0, Math.max(0, missing.lastIndexOf('/'))) || '.';
  const { exists, type } = await files.resolve(folder);
  if (!exists || type !== 'folder') return [];
  const name = nameOf(missing);
  return (await files.list(folder))
    .map((each) => ({ name: each.name, likeness: likenessOf(name, each.name) }))
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, MOST_PATHS)
    .map((each) => (folder === '.' ? each.name : `${folder}/${each.name}`));
}

// Commands.

const FAILED = /^(?:exit code (?!0\b)-?\d+|ended )/;
const TELLING = /error|fail|exception|denied|not found|assert|panic|✗|✖|×/i;
const MOST_TELLING = 12;

const hasFailed = ({ text, isError }: { readonly text: string; readonly isError?: boolean | undefined }): boolean =>
  isError === true || FAILED.test(text);

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
function describeEarlierFailure(command: string, text: string, context: Projection): string {
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

// The text that a refused call needed. The lab uses the same search to count what a refusal brings back.

/** Tokens of it after a refused edit, which also names the nearest lines of the file itself. */
export const EDIT_TOKENS = 150;

export interface HiddenMessage {
  readonly name: string;
  readonly text: string;
}

/** Shorter lines occur everywhere. */
const SHORTEST = 6;

/**
 * The lines around those that are wanted, from the message with most of them; empty where none has any. `hidden`: the
 * newest first, which is read only as far as needed.
 */
export function describeHiddenText(texts: readonly string[], hidden: Iterable<HiddenMessage>, tokens: number): string {
  const wanted = new Set(
    texts.flatMap((text) => text.split('\n').map((line) => line.trim())).filter((line) => line.length >= SHORTEST),
  );
  if (wanted.size === 0) return '';
  const isWanted = (line: string) => wanted.has(bare(line)) || (wanted.size === 1 && hasName(line, [...wanted][0]));
  let best: { readonly name: string; readonly lines: readonly string[]; readonly found: number } | null = null;
  for (const { name, text } of hidden) {
    const lines = text.split('\n');
    const found = new Set(lines.filter(isWanted).map(bare)).size;
    if (found > (best?.found ?? 0)) best = { name, lines, found };
    if (found >= wanted.size) break;
  }
  if (!best) return '';
  const { name, lines } = best;
  const heading = `${name}, which a compaction took from view, said (recall gives all of it; files may have changed since):`;
  const left = tokens - countTokens(heading);
  return left <= 0 ? '' : `${heading}\n${takeTokens(linesFrom(lines, lines.findIndex(isWanted), left), left)}`;
}

/** Other programs number the lines of a file, and their sessions go on here. */
const bare = (line: string): string => line.replace(LINE_NUMBER, '').trim();

/** For a single wanted text, such as a file's name, a line that only contains it counts, too. */
const hasName = (line: string, name = ''): boolean => line.length < 1_000 && line.includes(name);

/** Lines before the first wanted line that are shown with it. */
const BEFORE = 2;
const LONGEST_LINE = 300;

function linesFrom(lines: readonly string[], at: number, tokens: number): string {
  const shown: string[] = [];
  let used = 0;
  for (const line of lines.slice(Math.max(0, at - BEFORE))) {
    const cut = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
    used += countTokens(cut) + 1;
    if (used > tokens && shown.length > BEFORE) break;
    shown.push(cut);
  }
  return shown.join('\n').trimEnd();
}
