/**
 * The text of a mention. The corresponding tools read it, so the model sees the same as if it had called them, and learns
 * how to read on.
 */

import type { Attachment } from '../context/message.ts';
import { ToolError } from '../errors.ts';
import { readMcpResource } from '../mcp/mcpResult.ts';
import { countTokens, takeTokens } from '../tokens/estimate.ts';
import { gitChanges } from '../tools/builtIn/gitChanges.ts';
import { readablePlaces, showPlace } from '../tools/builtIn/readablePlaces.ts';
import { readFile } from '../tools/builtIn/readFile.ts';
import { readProblems } from '../tools/builtIn/readProblems.ts';
import { showImages } from '../tools/callTool.ts';
import type { TruncationLimits } from '../tools/text/cutText.ts';
import { foldRedrawn } from '../tools/text/redrawnLines.ts';
import { showInOneLine, showPath } from '../tools/text/showHidden.ts';
import { markRedrawn, stripControls } from '../tools/text/stripControls.ts';
import type { Tool, ToolPorts } from '../tools/tool.ts';
import type { CodeSymbol } from '../workspace/language.ts';
import type { FoundThing } from './locateMention.ts';
import type { MentionSources, TerminalOutput } from './mentionSources.ts';

/** Lines shown of a symbol whose end is unknown. */
const UNKNOWN_LENGTH = 40;
const MOST_PATHS = 2_000;

/** Maximum bytes of one token; used to bound how many bytes are read. */
const BYTES_A_TOKEN = 8;
const MOST_LINES = 100_000;

interface MentionText {
  readonly text: string;
  /** Images, where the model accepts them. */
  readonly attachments?: readonly Attachment[];
}

interface Reading {
  readonly maxTokens: number;
  readonly ports: ToolPorts;
  readonly sources: MentionSources;
  readonly signal: AbortSignal;
}

/** Throws `ToolError` with the reason when it cannot be read, or an abort. */
export async function readMention(thing: FoundThing, read: Reading): Promise<MentionText> {
  return thing.kind === 'place' ? readPlace(thing, read) : { text: await readThing(thing, read) };
}

async function readThing(thing: Exclude<FoundThing, { kind: 'place' }>, read: Reading): Promise<string> {
  const { maxTokens, sources } = read;
  switch (thing.kind) {
    case 'problems':
      return runTool(readProblems, {}, 'read_problems with a path tells more', read);
    case 'changes':
      return runTool(gitChanges, {}, 'git_changes with a path tells more', read);
    case 'terminal':
      return readTerminal((await sources.terminal?.lastOutput()) ?? null, maxTokens);
    case 'terminal:selection':
      return readSelection(read);
    case 'session':
      return readSession(thing.title, read);
    case 'symbol':
      return readSymbolNamed(thing.name, read);
    case 'resource':
      return readResource(thing, read);
  }
}

async function readPlace(
  { place: { path, lines, symbol }, facts }: Extract<FoundThing, { kind: 'place' }>,
  read: Reading,
): Promise<MentionText> {
  if (facts.type === 'folder') return { text: await readFolder(path, facts.shown, read) };
  if (symbol !== null) return { text: await readSymbolIn(facts.shown, symbol, read) };
  return readLines(path, lines === null ? {} : { offset: lines.first, limit: lines.last - lines.first + 1 }, read);
}

/** As `read_file` shows them: if they do not fit, the beginning, and the line to continue from. */
async function readLines(path: string, asked: object, { maxTokens, ports, signal }: Reading): Promise<MentionText> {
  const call = await readFile.prepare(readFile.input.parse({ path, ...asked }), ports);
  let maxBytes = maxTokens * BYTES_A_TOKEN;
  for (;;) {
    const limits: TruncationLimits = { maxLines: MOST_LINES, maxBytes, direction: 'head' };
    const outcome = await call.run({ onOutput: () => undefined, signal, limits });
    const { text, attachments } = await showImages(outcome, ports);
    const tokens = countTokens(text);
    if (tokens <= maxTokens || maxBytes <= maxTokens / 2) {
      return { text: cutHead(text, maxTokens, 'read_file reads on'), ...(attachments ? { attachments } : {}) };
    }
    maxBytes = Math.floor(Math.min(maxBytes * 0.9, text.length * (maxTokens / tokens)));
  }
}

async function readFolder(path: string, shown: string, { maxTokens, ports, signal }: Reading): Promise<string> {
  const { paths, total, notes = [] } = await ports.files.find({ glob: '**', path }, MOST_PATHS, signal);
  const head = `The folder ${showInOneLine(shown)}, without what ignore files leave out; ${total} files:`;
  const lines = [...paths].sort().map(showPath);
  const more =
    total > paths.length ? [`(${total - paths.length} more; find_files with this path narrows it down)`] : [];
  return cutHead([head, ...lines, ...more, ...notes].join('\n'), maxTokens, 'find_files narrows it down');
}

async function readSymbolIn(path: string, name: string, read: Reading): Promise<string> {
  const { language } = read.ports;
  if (!language) throw new ToolError('This program has no language features.');
  const all = await language.symbolsIn(path, read.signal);
  const symbol = all.find((each) => each.name === name || `${each.container}.${each.name}` === name);
  if (!symbol) throw new ToolError(`No language extension knows ${showInOneLine(name)} in ${showInOneLine(path)}.`);
  return readSymbol(symbol, read);
}

async function readSymbolNamed(name: string, read: Reading): Promise<string> {
  const { language, files } = read.ports;
  if (!language) throw new ToolError('This program has no language features.');
  const { found } = await language.symbolsNamed(name, read.signal);
  const { places } = await readablePlaces(
    found.filter((each) => each.name.replace(/\(.*$/u, '') === name.replace(/\(.*$/u, '')),
    files,
    read.signal,
  );
  const [first, ...others] = places;
  if (!first) throw new ToolError(`No language extension knows a symbol ${showInOneLine(name)}.`);
  const also = others.slice(0, 20).map(showPlace);
  const text = await readSymbol(first, read);
  return also.length === 0 ? text : `${text}\n(Also declared at ${also.join(', ')}.)`;
}

async function readSymbol({ path, name, kind, line, lastLine }: CodeSymbol, read: Reading): Promise<string> {
  const limit = lastLine === undefined ? UNKNOWN_LENGTH : lastLine - line + 1;
  const { text } = await readLines(path, { offset: line, limit }, read);
  return `The ${kind} ${showInOneLine(name)}, declared in line ${line}.\n${text}`;
}

async function runTool<Input>(
  tool: Tool<Input>,
  input: Input,
  readOn: string,
  { maxTokens, ports, signal }: Reading,
): Promise<string> {
  const call = await tool.prepare(input, ports);
  const { text } = await call.run({ onOutput: () => undefined, signal });
  return cutHead(text, maxTokens, readOn);
}

function readTerminal(last: TerminalOutput | null, maxTokens: number): string {
  if (!last) throw new ToolError('No command has been seen in a terminal yet.');
  const { terminal, command, exitCode, running } = last;
  const end = running ? 'it still runs' : exitCode === null ? 'it has ended' : `exit code ${exitCode}`;
  const head = `The last command in the terminal ${showInOneLine(terminal)} (${end}): ${showInOneLine(command)}`;
  return `${head}\n${cutTail(foldRedrawn(markRedrawn(last.output)).text.trimEnd() || '(no output)', maxTokens)}`;
}

async function readSelection({ sources, maxTokens }: Reading): Promise<string> {
  const text = (await sources.terminal?.selection()) ?? '';
  if (text.trim() === '') throw new ToolError('Nothing is selected in the terminal.');
  return `Selected in the terminal:\n${cutHead(stripControls(text), maxTokens, 'nothing tells the rest')}`;
}

async function readSession(title: string, { sources, maxTokens, signal }: Reading): Promise<string> {
  const text = await sources.session?.(title, signal);
  if (text === null || text === undefined) {
    throw new ToolError(`There is no earlier session with the title ${showInOneLine(title)}.`);
  }
  return `What was said in the earlier session ${showInOneLine(title)}:\n${cutTail(text, maxTokens)}`;
}

async function readResource(
  { server, uri }: { readonly server: string; readonly uri: string },
  { sources, maxTokens, signal }: Reading,
): Promise<string> {
  if (!sources.mcp) throw new ToolError('No MCP server can be reached from here.');
  const text = readMcpResource(await sources.mcp.readResource(server, uri, signal));
  const head = `The resource ${showInOneLine(uri)} of the MCP server ${showInOneLine(server)}:`;
  return cutHead(`${head}\n${text}`, maxTokens, 'nothing tells the rest');
}

/** The beginning that fits, in whole lines if possible. */
function cutHead(text: string, maxTokens: number, readOn: string): string {
  if (countTokens(text) <= maxTokens) return text;
  const part = takeTokens(text, maxTokens);
  const kept = part.includes('\n') ? part.slice(0, part.lastIndexOf('\n')) : part;
  return `${kept}\n[cut here: ${text.length - kept.length} characters more; ${readOn}]`;
}

/** The end that fits. */
function cutTail(text: string, maxTokens: number): string {
  if (countTokens(text) <= maxTokens) return text;
  let kept = text.slice(-maxTokens * BYTES_A_TOKEN);
  while (kept.length > 1 && countTokens(kept) > maxTokens) {
    kept = kept.slice(Math.ceil(kept.length * (1 - (0.95 * maxTokens) / countTokens(kept))));
  }
  const line = kept.indexOf('\n');
  const whole = line === -1 ? kept : kept.slice(line + 1);
  return `[${text.length - whole.length} characters before this are left out]\n${whole.toWellFormed()}`;
}
