/**
 * The stub that replaces a hidden body: fixed wording, the session's nonce, the item's id for recall. Nothing else in a
 * context may look like one, so look-alikes in foreign text are neutralised. For a command's output, the first and last
 * lines may follow the stub.
 */

import { neutraliseNotes } from '../../tools/text/neutralise.ts';

export interface Stub {
  readonly text: string;
  /** ISO time, for output that was pruned. */
  readonly prunedAt?: string;
}

/** The data that identify a stub of this session, and the lines that may follow it. */
export interface Stamp {
  readonly nonce: string;
  /** In milliseconds since the epoch; only the wording for pruned output gives the time. */
  readonly now: number;
  /** Number of first and last lines of a command's output that follow its stub. Default: none. */
  readonly commandLines?: number;
  /** False where the model has no tool that reads hidden messages again, so that nothing names one. Default: it has. */
  readonly recalls?: boolean;
}

export type HideReason = 'hidden' | 'pruned' | 'offloaded';

const SUBJECTS = { user: 'user message', assistant: 'assistant message', tool: 'tool result' } as const;

/** Tools that run commands, including other programs' tools. */
const COMMAND = /command|shell|bash|terminal/i;

/** Characters of one line after a stub. */
const LONGEST_LINE = 160;

interface Hideable {
  readonly id: string;
  readonly role: keyof typeof SUBJECTS;
  readonly text: string;
  readonly toolName?: string;
}

export function makeStub(message: Hideable, reason: HideReason, stamp: Stamp): Stub {
  const stub = makeBareStub(message, reason, stamp);
  if (!stamp.commandLines || !COMMAND.test(message.toolName ?? '')) return stub;
  const lines = firstAndLast(message.text, stamp.commandLines);
  // If that would save little, the whole output is hidden.
  if (stub.text.length + 2 * lines.length > message.text.length) return stub;
  return { ...stub, text: `${stub.text}\n${neutraliseNotes(lines)}` };
}

/** The line with the exit code, then the first and the last `most` lines of the output, each of bounded length. */
function firstAndLast(output: string, most: number): string {
  const lines = output.trimEnd().split('\n');
  const first = lines.slice(0, most + 1);
  const last = lines.slice(first.length).slice(-most);
  const left = lines.length - first.length - last.length;
  const shorten = (line: string) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line);
  return [...first.map(shorten), ...(left > 0 ? [`(lines left out: ${left})`] : []), ...last.map(shorten)]
    .join('\n')
    .toWellFormed();
}

function makeBareStub(message: Hideable, reason: HideReason, { nonce, now, recalls = true }: Stamp): Stub {
  const recall = `${message.text.length} characters${recalls ? `; recall with id ${message.id}` : ''}]`;
  switch (reason) {
    case 'hidden':
      return { text: `[palimpsest:${nonce} ${SUBJECTS[message.role]} hidden, ${recall}` };
    case 'offloaded':
      return { text: `[palimpsest:${nonce} ${SUBJECTS[message.role]} offloaded, ${recall}` };
    case 'pruned': {
      const prunedAt = new Date(now).toISOString();
      return { text: `[Output pruned at ${prunedAt}] [palimpsest:${nonce} ${recall}`, prunedAt };
    }
  }
}

/** True when a message was hidden by pruning, not for another reason. */
export const isPruned = ({ text }: { readonly text: string }): boolean => text.startsWith('[Output pruned at ');
