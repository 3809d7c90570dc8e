/**
 * Mentions during typing: the one at the cursor, the host's completions for it, and the host's doubts about the message
 * before it is sent. Only the host knows the files; an answer to anything but the present text is discarded.
 */

import type { Doubt, MentionChoice } from '../../src/protocol/messages.ts';

/** The part of the draft that a choice replaces, and the typed text in it. */
interface TypedMention {
  readonly from: number;
  readonly to: number;
  /** Without `@` and quotes. */
  readonly typed: string;
}

const BEFORE_CURSOR =
  /(?<![\w.%+\-@/\\])@(?:"([^"\n]*)|([^\s"'`<>|(){}[\]\u3001\u3002\u300C\u300D\u3010\u3011\uFF01\uFF08\uFF09\uFF0C\uFF1A\uFF1B\uFF1F]*))$/u;
/** The rest of the word after the cursor is part of the mention. */
const AFTER_CURSOR = /^[\p{L}\p{N}_./\\:#@+~%=&?*$-]*/u;
const LONGEST = 500;

export function mentionAt(draft: string, cursor: number): TypedMention | null {
  const before = draft.slice(Math.max(0, cursor - LONGEST), cursor);
  const [whole, quoted, bare = ''] = BEFORE_CURSOR.exec(before) ?? [];
  if (whole === undefined) return null;
  const rest = quoted === undefined ? (AFTER_CURSOR.exec(draft.slice(cursor, cursor + LONGEST))?.[0] ?? '') : '';
  return { from: cursor - whole.length, to: cursor + rest.length, typed: quoted ?? bare };
}

/**
 * The parts of a text, in order: each occurrence of a mention, and what is between them. The longest mention counts
 * where one begins with another.
 */
export function splitAtMentions(text: string, mentions: readonly string[]): string[] {
  const longestFirst = [...mentions]
    .sort((a, b) => b.length - a.length)
    .map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  if (longestFirst.length === 0) return [text];
  return text
    .split(new RegExp(`((?:${longestFirst.join('|')})(?![\\p{L}\\p{N}_/-]))`, 'u'))
    .filter((part) => part !== '');
}

export class MentionList {
  /** Null when the cursor is not in a mention, or the list was closed. */
  at: TypedMention | null = null;
  #choices: readonly MentionChoice[] = [];
  /** Where the list was closed: it stays closed until the cursor has left that mention. */
  #left: number | null = null;
  #answered = '';
  /** The message waiting for the host's check, and the doubts already shown. */
  #checking: string | null = null;
  #announced: string | null = null;

  /** Older choices that still match stay until newer ones arrive, so that the list does not flicker. */
  get choices(): readonly MentionChoice[] {
    if (this.at === null) return [];
    const typed = this.at.typed.toLowerCase();
    if (this.#answered === this.at.typed) return this.#choices;
    return this.#choices.filter(({ insert }) => insert.toLowerCase().includes(typed));
  }

  /** Returns the text to complete; null without one. */
  follow(draft: string, cursor: number): string | null {
    const at = mentionAt(draft, cursor);
    if (at?.from !== this.#left) this.#left = null;
    const next = this.#left === null ? at : null;
    const ask = next !== null && (this.at === null || this.at.typed !== next.typed);
    if (next === null || next.from !== this.at?.from) this.#choices = [];
    this.at = next;
    return ask ? next.typed : null;
  }

  take(typed: string, choices: readonly MentionChoice[]): boolean {
    if (this.at?.typed !== typed) return false;
    const isNew = this.#answered !== typed;
    this.#choices = choices;
    this.#answered = typed;
    return isNew;
  }

  leave(): void {
    this.#left = this.at?.from ?? null;
    this.at = null;
  }

  end(): void {
    this.#left = null;
    this.at = null;
    this.#choices = [];
  }

  /** True when the host must check the message first. */
  needsCheck(text: string): boolean {
    return text.includes('@') && this.#announced !== text;
  }

  /** True when its doubtful mentions were already shown. */
  wasTold(text: string): boolean {
    return this.#announced === text;
  }

  check(text: string): void {
    this.#checking = text;
  }

  /** False for an answer that nobody waits for. */
  checked(text: string, doubts: readonly Doubt[]): boolean {
    if (this.#checking !== text) return false;
    this.#checking = null;
    this.#announced = doubts.length > 0 ? text : null;
    return true;
  }
}
