/**
 * Answers a summariser in place of its model, with a text of a summary's usual length and the usage that the request would
 * have. Nothing is sent and nothing is paid, so that a strategy can be tried to see what it would do.
 */

import type { Timers } from '../../clock.ts';
import type { ModelClient, ModelRequest } from '../../model/modelClient.ts';
import { takeTokens } from '../../tokens/estimate.ts';
import { estimateUsage } from '../../tokens/estimateUsage.ts';
import { WRITTEN_TOKENS } from '../draft/summaryLength.ts';

interface DryModel {
  readonly timers: Timers;
  /** Reported tokens per estimated token of the model. */
  readonly factor: number;
  /** Tokens of the session's next request that the cache holds: a continued request reads them from there. */
  readonly held: number;
}

const SENTENCE = 'The work so far, what was found and changed, and what comes next. ';

/** More than the tokens of a summary. */
const TEXT = SENTENCE.repeat(WRITTEN_TOKENS);

export function dryClient({ endpoint }: ModelClient, { timers, factor, held }: DryModel): ModelClient {
  return {
    endpoint,
    async *stream(request) {
      const text = takeTokens(TEXT, Math.min(WRITTEN_TOKENS, request.maxOutputTokens ?? WRITTEN_TOKENS)).trimEnd();
      const { input, output } = await estimateUsage(request, text, timers);
      const read = Math.round(input * factor);
      const usage = {
        input: read,
        cached: continues(request) ? Math.min(read, held) : 0,
        output: Math.round(output * factor),
        reasoning: 0,
      };
      yield { type: 'done', text, toolCalls: [], finish: 'stop', usage };
    },
  };
}

/** It begins with the session's last request. */
const continues = ({ toolChoice }: ModelRequest): boolean => toolChoice === 'none';
