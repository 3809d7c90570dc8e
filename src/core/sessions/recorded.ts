/**
 * Turns messages recorded by any program into entries of a journal. Whatever the recording lacks, the result is a valid
 * history: ids are unique, every call is followed by its one result, and text is well-formed.
 */

import type { Message, ToolCall, Usage, UserKind } from '../context/message.ts';
import type { EntryDraft } from '../journal/entry.ts';
import { countTokens, estimateMessage } from '../tokens/estimate.ts';

/** One message as a program recorded it, in the order it was said. */
export type RecordedMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string; readonly kind?: UserKind }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly reasoning?: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly usage?: Usage;
      readonly model?: string;
      readonly interrupted?: boolean;
    }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly text: string; readonly isError?: boolean };

/** What an import had to leave out or mend. Filled while the drafts are taken. */
export interface ImportReport {
  messages: number;
  /** Lines that could not be read, numbered from 1. */
  readonly badLines: { readonly line: number; readonly reason: string }[];
  /** Calls whose result was not recorded; each is closed by `MISSING_RESULT`. */
  missingResults: number;
  /** Results without a call before them, left out. */
  strayResults: number;
  /** Calls whose id had been used before, renamed together with their results. */
  renamedCalls: number;
}

export function newImportReport(): ImportReport {
  return { messages: 0, badLines: [], missingResults: 0, strayResults: 0, renamedCalls: 0 };
}

export const MISSING_RESULT = '[The result of this tool call was not recorded.]';

interface OpenCall {
  readonly recordedId: string;
  readonly call: ToolCall;
}

/** Drafts in the order they are to be appended; leading system messages become the header. */
export async function* recordEntries(
  messages: AsyncIterable<RecordedMessage>,
  report: ImportReport,
): AsyncGenerator<EntryDraft> {
  const used = new Set<string>();
  const system: string[] = [];
  let open: OpenCall[] = [];
  let started = false;
  const add = (message: Message): EntryDraft => {
    report.messages++;
    return { type: 'message', message, tokens: estimateMessage(message) };
  };
  function* close(): Generator<EntryDraft> {
    for (const { call } of open) {
      report.missingResults++;
      yield add({ role: 'tool', toolCallId: call.id, toolName: call.name, text: MISSING_RESULT, isError: true });
    }
    open = [];
  }
  for await (const recorded of messages) {
    if (recorded.role === 'system' && !started) {
      system.push(recorded.text.toWellFormed());
      continue;
    }
    if (!started && system.length > 0) yield headerOf(system);
    started = true;
    if (recorded.role !== 'tool') yield* close();
    const text = recorded.text.toWellFormed();
    switch (recorded.role) {
      case 'system':
        yield add({ role: 'user', kind: 'reminder', text });
        break;
      case 'user':
        yield add({ role: 'user', kind: recorded.kind ?? injectedKind(text), text });
        break;
      case 'assistant': {
        open = (recorded.toolCalls ?? []).map((call) => {
          const id = uniqueId(call.id, used);
          if (id !== call.id) report.renamedCalls++;
          const args = call.arguments.toWellFormed();
          return { recordedId: call.id, call: { id, name: call.name.toWellFormed() || 'unknown', arguments: args } };
        });
        const { reasoning, usage, model = 'imported' } = recorded;
        yield add({
          role: 'assistant',
          text,
          ...(reasoning ? { reasoning: { field: 'reasoning', text: reasoning.toWellFormed() } } : {}),
          ...(open.length > 0 ? { toolCalls: open.map(({ call }) => call) } : {}),
          ...(recorded.interrupted ? { interrupted: true } : {}),
        });
        if (usage) yield { type: 'usage', model, usage };
        // An interrupted answer's calls were never run: lowering leaves them out, and so has nothing to close.
        if (recorded.interrupted) open = [];
        break;
      }
      case 'tool': {
        const at = open.findIndex(({ recordedId }) => recordedId === recorded.toolCallId);
        const [answered] = at < 0 ? [] : open.splice(at, 1);
        if (!answered) {
          report.strayResults++;
          break;
        }
        yield add({
          role: 'tool',
          toolCallId: answered.call.id,
          toolName: answered.call.name,
          text,
          ...(recorded.isError ? { isError: true } : {}),
        });
        break;
      }
    }
  }
  if (!started && system.length > 0) yield headerOf(system);
  yield* close();
}

function headerOf(system: readonly string[]): EntryDraft {
  const items = system.map((text) => ({
    kind: 'systemPrompt' as const,
    origin: 'imported',
    text,
    tokens: countTokens(text),
    cacheHint: true,
  }));
  return { type: 'header', items, tools: [], tokens: items.reduce((sum, item) => sum + item.tokens, 0) };
}

function uniqueId(recorded: string, used: Set<string>): string {
  const wanted = recorded.toWellFormed() || 'call';
  let id = wanted;
  for (let n = 2; used.has(id); n++) id = `${wanted}-${n}`;
  used.add(id);
  return id;
}

/** Openings of user messages that a program, not a person, put there. */
const INJECTED: readonly string[] = [
  '<command-',
  '<local-command-',
  '<system-reminder',
  '<environment_context',
  '<user_instructions',
  '<user_shell_command',
  '<skill>',
  '<subagent_notification',
  '<task-notification',
  '<turn_aborted',
  '<ide_opened_file',
  '<ide_selection',
  '# AGENTS.md instructions',
  '[Request interrupted by user',
  'Caveat: The messages below were generated by the user while running local commands.',
];

/** Claude Code opens the message that carries a compaction's summary with this sentence. */
const CONTINUED = 'This session is being continued from a previous conversation';

/** Claude Code puts a skill's text into the user role, after this line. */
const SKILL = 'Base directory for this skill:';

/** The kind of a message recorded in the user role, told by how its text begins. */
export function injectedKind(text: string): UserKind {
  const start = text.trimStart();
  if (start.startsWith(CONTINUED)) return 'summary';
  if (start.startsWith(SKILL)) return 'skillPrompt';
  return INJECTED.some((opening) => start.startsWith(opening)) ? 'reminder' : 'user';
}
