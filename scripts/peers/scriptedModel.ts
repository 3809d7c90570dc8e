/**
 * What the scripted model does with a request: it goes on with the session's steps, ends a part, writes a summary, or says a
 * word to a request that belongs to neither. Invariant: steps come in order, none but a failed edit twice, and no part begins
 * before its prompt was seen.
 */

import { callTool, type ScriptedCall } from './callTool.ts';
import type { Tokenizer } from './countRequests.ts';
import type { ModelRequest } from './modelRequest.ts';
import type { Edit, ScriptedSession, Step } from './session.ts';
import { type SummaryKind, writeSummary } from './summary.ts';

export interface ModelAction {
  readonly kind: 'step' | 'end of part' | 'summary' | 'other';
  readonly text: string;
  readonly call: ScriptedCall | null;
}

export interface ScriptedModelOptions {
  readonly session: ScriptedSession;
  readonly summaries: SummaryKind;
  /** The workspace, absolute. */
  readonly folder: string;
  readonly tokens: Tokenizer;
  /** Whether the file has what the edit was to write. */
  readonly isDone: (edit: Edit) => boolean;
}

/** As often is an edit that an agent refused tried again, after another look at the file. */
const MOST_TRIES = 3;

const SUMMARY_WORDS = /summar|compact|handoff|checkpoint|snapshot|compress|condense/i;

export class ScriptedModel {
  readonly #options: ScriptedModelOptions;
  /** Steps called for so far. */
  #steps = 0;
  /** Parts whose prompts were seen. */
  #parts = 0;
  readonly #summaries: string[] = [];
  /** The newest edit, how often it was tried, and what of a further try is still to do. */
  #edit: Edit | null = null;
  #tries = 0;
  readonly #again: Step[] = [];

  constructor(options: ScriptedModelOptions) {
    this.#options = options;
  }

  get steps(): number {
    return this.#steps;
  }

  answer(request: ModelRequest): ModelAction {
    const { session, folder } = this.#options;
    const { messages, tools } = request;
    this.#lookForPrompts(messages.filter(({ role }) => role === 'user').map(({ text }) => text));
    if (this.#asksForSummary(request)) return { kind: 'summary', text: this.#summarise(request), call: null };
    if (tools.length === 0) return { kind: 'other', text: 'The constants of the harbour', call: null };
    const step = this.#nextStep(session.parts.slice(0, this.#parts).flatMap((part) => part.steps));
    if (!step) return { kind: 'end of part', text: `Part ${this.#parts} is done.`, call: null };
    return { kind: 'step', text: `Step ${this.#steps}.`, call: callTool(step, tools, folder) };
  }

  #nextStep(steps: readonly Step[]): Step | undefined {
    if (this.#again.length === 0 && this.#edit && this.#tries < MOST_TRIES && !this.#options.isDone(this.#edit)) {
      this.#tries++;
      this.#again.push({ kind: 'read', path: this.#edit.path }, this.#edit);
    }
    const again = this.#again.shift();
    if (again) return again;
    const step = steps[this.#steps];
    if (!step) return undefined;
    this.#steps++;
    this.#edit = step.kind === 'edit' ? step : null;
    this.#tries = 1;
    return step;
  }

  #lookForPrompts(texts: readonly string[]): void {
    for (const [at, { prompt }] of this.#options.session.parts.entries()) {
      const mark = prompt.split(' ', 1)[0] ?? prompt;
      if (texts.some((text) => text.includes(mark))) this.#parts = Math.max(this.#parts, at + 1);
    }
  }

  /**
   * Its newest message asks for one. A result does not, nor does a prompt of the session, nor a message that hands on an
   * earlier summary so that the work goes on, which only an agent that offers its tools sends.
   */
  #asksForSummary({ messages, tools }: ModelRequest): boolean {
    const last = messages.at(-1);
    if (!last || last.role === 'tool') return false;
    const isPrompt = this.#options.session.parts.some(({ prompt }) => last.text.includes(prompt));
    if (tools.length === 0) return [last, messages[0]].some((message) => SUMMARY_WORDS.test(message?.text ?? ''));
    if (isPrompt || this.#summaries.some((text) => last.text.includes(text))) return false;
    return SUMMARY_WORDS.test(last.text);
  }

  #summarise({ messages, pieces }: ModelRequest): string {
    const { session, summaries, tokens } = this.#options;
    const asked = `${messages[0]?.text}\n${messages.at(-1)?.text}`;
    const text = writeSummary(summaries, { facts: session.facts, seen: pieces.slice(1).join('\n'), asked, tokens });
    this.#summaries.push(text);
    return text;
  }
}
