/**
 * The demo model: a `ModelClient` without network or key. It streams the steps of `demoScript.ts` and keeps no state,
 * so the same messages always get the same answer.
 */

import type { Timers } from '../../core/clock.ts';
import type { ToolCall, Usage } from '../../core/context/message.ts';
import { ModelError } from '../../core/errors.ts';
import type { ModelClient, ModelRequest } from '../../core/model/modelClient.ts';
import { sleep } from '../../core/sleep.ts';
import { countTokens } from '../../core/tokens/estimate.ts';
import { inEnglish, type Words } from '../../core/words.ts';
import { hashText } from '../hashText.ts';
import { systemTimers } from '../timers.ts';
import { renderConversation, writeScriptedSummary } from './demoHistory.ts';
import { type DemoStep, nextDemoStep } from './demoScript.ts';

interface DemoClientOptions {
  /** Milliseconds between two pieces of text; default: 12, so that streaming is visible. */
  readonly pieceDelayMs?: number;
  readonly timers?: Timers;
  /** Translates into the language of the reader; default: English. */
  readonly translate?: (words: Words) => string;
}

const PIECE = /.{1,14}/gsu;

export function createDemoClient(options: DemoClientOptions = {}): ModelClient {
  const { pieceDelayMs = 12, timers = systemTimers, translate = inEnglish } = options;
  return {
    endpoint: 'demo:',
    async *stream(request, signal) {
      const { text, calls } = answer(request, translate);
      for (const delta of text.match(PIECE) ?? []) {
        await sleep(timers, pieceDelayMs, signal);
        if (signal.aborted) throw new ModelError('aborted', 'Stopped.', { retryable: false });
        yield { type: 'text', delta };
      }
      const toolCalls = nameCalls(request, calls);
      for (const [index, call] of toolCalls.entries()) {
        yield { type: 'toolCall', index, name: call.name, argumentsLength: call.arguments.length };
      }
      yield {
        type: 'done',
        text,
        toolCalls,
        finish: toolCalls.length > 0 ? 'toolCalls' : 'stop',
        usage: estimateUsage(request, text, toolCalls),
      };
    },
  };
}

interface Answer {
  readonly text: string;
  readonly calls: DemoStep['calls'];
}

/** A request without callable tools comes from a summariser, or from somebody who only wants text. */
function answer(request: ModelRequest, translate: (words: Words) => string): Answer {
  const prompt = request.messages.findLast((message) => message.role === 'user')?.text ?? '';
  const system = request.messages.find((message) => message.role === 'system')?.text ?? '';
  const wantsSummary = /summari[sz]|summary|compact|condense/i.test(`${system}\n${prompt}`);
  if (request.toolChoice === 'none') {
    return {
      text: writeScriptedSummary(`${prompt}\n\n${renderConversation(request.messages.slice(0, -1))}`),
      calls: [],
    };
  }
  if (request.tools.length === 0 && wantsSummary) return { text: writeScriptedSummary(prompt), calls: [] };
  const { place, text, calls } = nextDemoStep(request);
  return { text: translate(place) + translate(text), calls: calls.map((call) => inLanguage(call, translate)) };
}

function inLanguage(call: DemoStep['calls'][number], translate: (words: Words) => string): DemoStep['calls'][number] {
  const { name, question } = call;
  if (!question) return call;
  return { name, input: { question: translate(question.text), choices: [{ label: translate(question.choice) }] } };
}

/**
 * Ids are derived from the whole request, so that a call dropped by a compaction and restored by its undo keeps its id.
 */
function nameCalls(request: ModelRequest, calls: DemoStep['calls']): ToolCall[] {
  if (calls.length === 0) return [];
  const seen = hashText(JSON.stringify(request.messages));
  return calls.map(({ name, input }, index) => ({
    id: `demo_${seen}_${index}`,
    name,
    arguments: JSON.stringify(input),
  }));
}

function estimateUsage(request: ModelRequest, text: string, calls: readonly ToolCall[]): Usage {
  const seen = request.messages.map((message) => {
    const written = message.role === 'assistant' ? JSON.stringify(message.toolCalls ?? '') : '';
    return countTokens(message.text) + countTokens(written) + 4;
  });
  const tools = countTokens(JSON.stringify(request.tools));
  return {
    input: seen.reduce((sum, tokens) => sum + tokens, tools + 3),
    cached: 0,
    output: countTokens(text) + countTokens(JSON.stringify(calls)),
    reasoning: 0,
  };
}
