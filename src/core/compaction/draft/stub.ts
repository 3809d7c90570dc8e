/**
 * The stub that stands for a hidden body: fixed wording, the session's nonce, the item's id for recall. Nothing else in a
 * context may look like one, so look-alikes in text from outside are made harmless.
 */

export interface Stub {
  readonly text: string;
  /** ISO time, for output that was pruned. */
  readonly prunedAt?: string;
}

/** What marks a stub as one of this session. */
export interface Stamp {
  readonly nonce: string;
  /** Milliseconds since the epoch; only the wording for pruned output tells the time. */
  readonly now: number;
}

export type HideReason = 'hidden' | 'pruned' | 'offloaded';

const SUBJECTS = { user: 'user message', assistant: 'assistant message', tool: 'tool result' } as const;
/** Invisible characters between the letters and full-width forms still read as the same word. */
const LOOK_ALIKE = new RegExp(
  `([[\uff3b])(?=${[...'palimpsest'].map((letter) => `[\\s\\p{Cf}]*${letter}`).join('')}[\\s\\p{Cf}]*[:\uff1a])`,
  'giu',
);
/** The marker of pruned output, which only a stub may begin with. */
const PRUNED_LOOK_ALIKE = /\[(Output pruned at )/gi;

export function makeStub(
  message: { readonly id: string; readonly role: keyof typeof SUBJECTS; readonly text: string },
  reason: HideReason,
  { nonce, now }: Stamp,
): Stub {
  const recall = `${message.text.length} characters; recall with id ${message.id}]`;
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

/** Stands for messages that were dropped to make room; the recall tool's search finds them. */
export function makeDropNote(nonce: string, messages: number, tokens: number): string {
  return `[palimpsest:${nonce} ${messages} earlier messages (about ${tokens} tokens) were dropped to make room; search them with the recall tool]`;
}

/** What an earlier drop note stands for; null when `text` is none of this session. */
export function readDropNote(
  text: string,
  nonce: string,
): { readonly messages: number; readonly tokens: number } | null {
  const found = /^\[palimpsest:(\w+) (\d+) earlier messages \(about (\d+) tokens\)/.exec(text);
  return found?.[1] === nonce ? { messages: Number(found[2]), tokens: Number(found[3]) } : null;
}

/** Text from outside, such as tool output or a model's summary, with everything that looks like a stub made harmless. */
export function neutraliseStubs(text: string): string {
  if (!text.includes('[') && !text.includes('\uff3b')) return text;
  return text.replace(LOOK_ALIKE, '$1\\').replace(PRUNED_LOOK_ALIKE, '[\\$1');
}
