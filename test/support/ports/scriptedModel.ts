/**
 * A model client in memory: answers from a script, one step for each request, and fails when the script is exhausted or
 * left unfinished. Requests are kept for inspection.
 */

import type { Usage } from '../../../src/core/context/message.ts';
import type { ModelError } from '../../../src/core/errors.ts';
import type { ModelChoice } from '../../../src/core/model/modelChoice.ts';
import type { FinishReason, ModelClient, ModelEvent, ModelRequest } from '../../../src/core/model/modelClient.ts';

export type Step =
  | string
  | {
      readonly text?: string;
      readonly reasoning?: string;
      readonly calls?: readonly (readonly [name: string, input: unknown])[];
      readonly finish?: FinishReason;
      readonly usage?: Usage | null;
      /** Thrown after the text was streamed. */
      readonly error?: ModelError;
      /** Called before anything is streamed, e.g. to abort. */
      readonly before?: () => void;
    };

export class ScriptedModel implements ModelClient {
  readonly endpoint = 'scripted:';
  readonly requests: ModelRequest[] = [];
  readonly #steps: Step[];
  #calls = 0;

  constructor(steps: readonly Step[]) {
    this.#steps = [...steps];
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    this.requests.push(request);
    const next = this.#steps.shift();
    if (next === undefined) throw new Error(`The script is exhausted at request ${this.requests.length}`);
    const step = typeof next === 'string' ? { text: next } : next;
    step.before?.();
    if (signal.aborted) return;
    if (step.reasoning) yield { type: 'reasoning', delta: step.reasoning, field: 'reasoning_content' };
    for (const delta of step.text?.match(/.{1,8}/gsu) ?? []) yield { type: 'text', delta };
    if (step.error) throw step.error;
    const toolCalls = (step.calls ?? []).map(([name, input]) => ({
      id: `call_${this.#calls++}`,
      name,
      arguments: typeof input === 'string' ? input : JSON.stringify(input),
    }));
    yield {
      type: 'done',
      text: step.text ?? '',
      ...(step.reasoning ? { reasoning: { field: 'reasoning_content', text: step.reasoning } } : {}),
      toolCalls,
      finish: step.finish ?? (toolCalls.length ? 'toolCalls' : 'stop'),
      usage: step.usage === undefined ? { input: 100, cached: 0, output: 10, reasoning: 0 } : step.usage,
    };
  }

  /** Throws when steps of the script were not asked for. */
  assertDone(): void {
    if (this.#steps.length) throw new Error(`${this.#steps.length} steps of the script were never asked for`);
  }

  choice(window = 100_000): ModelChoice {
    return { client: this, model: 'scripted', window };
  }
}
