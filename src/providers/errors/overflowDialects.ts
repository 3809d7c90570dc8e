/**
 * How providers say that a request is longer than the model's window, and how they say things that only sound like it.
 * Near-misses are looked at first, because a rate limit in tokens must never start a compaction. The text they look
 * at is short (`ErrorText.all`): some of the patterns take time that grows with its square.
 */

import type { ErrorText } from './errorBody.ts';

export interface OverflowFacts {
  /** The model's window in tokens where the text names it. */
  readonly window?: number;
  /** Tokens of the refused request where the text names them. */
  readonly requested?: number;
}

const CERTAIN_CODES =
  /^(context_length_exceeded|exceed_context_size_error|context_window_exceeded|model_context_window_exceeded|request_too_large|string_above_max_length)$/i;

/** vLLM names the output limit, but what does not fit is the sum of both; Volcengine names images beside the text. */
const CERTAIN_TEXT =
  /maximum context length is (?<window>[\d,_]+) tokens and your request has (?<requested>[\d,_]+) input tokens|exceed max message tokens/i;

const NEAR_MISSES: readonly RegExp[] = [
  /rate.?limit|per[ _-]?(minute|second|hour|day|month)|\b(TPM|RPM|TPD|RPD)\b|throttl|quota|billing|too many requests/i,
  /too many tokens, please wait|concurren|try again (later|in)|please wait|tokens? rate/i,
  /context (deadline|canceled|cancelled)|timed? ?out/i,
  /(max_tokens|max_completion_tokens|max_output_tokens)\W{1,20}[^.]{0,300}(is too large|output tokens|completion tokens|at most)/i,
  /maximum allowed number of output tokens|thinking|budget_tokens|reasoning budget/i,
  /maximum (number of )?(output|completion) tokens/i,
  /(tool|function|parameter|file|header|id|url|uri|key|schema|description|stop sequence)s?\b[^.]{0,60}\btoo (long|large|many|big)/i,
  /\b(image|audio|video|pdf|attachment|file)s?\b[^.]{0,80}\b(exceeds?|too large|maximum)/i,
  /prompt_cache_key|array too long|too many (tools|functions|images|messages in batch)/i,
];

/** Each names, where it can, the window as `window` and the request's size as `requested`. */
const OVERFLOWS: readonly RegExp[] = [
  CERTAIN_TEXT,
  /too large for model with (?<window>[\d,_]+) maximum context length/i,
  /current length is (?<requested>[\d,_]+) while limit is (?<window>[\d,_]+)/i,
  /input \((?<requested>[\d,_]+) tokens\) is longer than the model's context length \((?<window>[\d,_]+) tokens\)/i,
  /maximum context length (?:is|of)\s*(?<window>[\d,_]+)(?:[\s\S]*?(?:requested|resulted in|request has|contains?)\D{0,40}(?<requested>[\d,_]+))?/i,
  /maximum context length/i,
  /passed (?<requested>[\d,_]+) input tokens[\s\S]*?(?:context length is only|context length (?:is|of)) (?<window>[\d,_]+)/i,
  /input tokens exceed the configured limit of (?<window>[\d,_]+) tokens(?:[\s\S]*?resulted in (?<requested>[\d,_]+))?/i,
  /(?:request|prompt|input)\s*\((?<requested>[\d,_]+) tokens\) exceeds? the available context size \((?<window>[\d,_]+) tokens\)/i,
  /prompt is too long(?::\s*(?<requested>[\d,_]+) tokens > (?<window>[\d,_]+))?/i,
  /input length and `?max_tokens`? exceed context limit(?::\s*(?<requested>[\d,_]+)[^>]*> (?<window>[\d,_]+))?/i,
  /input token count\D{0,10}(?:\((?<requested>[\d,_]+)\))?[^.]{0,300}exceeds the maximum number of tokens allowed(?: \(?(?<window>[\d,_]+)\)?)?/i,
  /exceeded model token limit:?\s*(?<window>[\d,_]+)(?:\s*\(requested:\s*(?<requested>[\d,_]+)\))?/i,
  /prompt too long;? exceeded (?:max )?context length(?: by (?<excess>[\d,_]+) tokens)?/i,
  /tokens to keep from the initial prompt is greater than the context length/i,
  /exceeds? (?:the )?(?:available )?(?:model'?s? )?context (?:window|size|length|limit)(?:(?: of| is|:) (?<window>[\d,_]{3,}))?/i,
  /(?:context|token) (?:window|length|limit|size) (?:is |was |has been )?exceeded|exceed(?:s|ed|ing)? (?:the )?(?:max(?:imum)? )?context/i,
  /trying to keep the first \d+ tokens when context (?:the )?overflows[\s\S]*?context length of only (?<window>[\d,_]+)/i,
  /(?:greater|longer|larger|more) than (?:the )?(?:model'?s? )?(?:max(?:imum)? )?(?:context|model) (?:length|window|size|len)(?:(?: of| is|:) (?<window>[\d,_]{3,}))?/i,
  /input (?:is )?too long for (?:the )?(?:requested )?model/i,
  /prompt (?:contains|has) (?<requested>[\d,_]+) tokens[\s\S]{0,80}?(?:max(?:imum)?|limit|context)\D{0,30}(?<window>[\d,_]+)/i,
  /maximum prompt length is (?<window>[\d,_]+)(?:[\s\S]*?contains (?<requested>[\d,_]+))?/i,
  /(?:prompt_tokens|prompt token count|input tokens?|tokens in the prompt)\D{0,20}(?<requested>[\d,_]+)?\)? (?:cannot exceed|exceeds|must be less than)\D{0,40}(?<window>[\d,_]+)/i,
  /prompt(?: tokens)? (?:is )?(?:too long|exceeds max(?:imum)? length)|context window exceeds limit/i,
  /request of (?<requested>[\d,_]+) tokens exceeds the model limit of (?<window>[\d,_]+)/i,
  /prompt tokens \+ max_tokens > context window(?: \((?<window>[\d,_]+)\))?/i,
  /reduce the length of (?:the|your) (?:messages|prompt|input)/i,
  /`?inputs`? (?:tokens \+ `?max_new_tokens`? )?must (?:be|have) (?:<=|less than) (?<window>[\d,_]+)(?:[\s\S]*?Given:? (?<requested>[\d,_]+))?/i,
  /`?max_tokens`? must be at least 1,? got -\d+/i,
  /range of input length should be \[\d+, ?(?<window>[\d,_]+)\]/i,
  /request entity too large|payload too large|request body (?:is )?too large|request_too_large|request exceeds the maximum (?:allowed )?(?:size|number of bytes)/i,
];

/** Null when the text is not about the window. `status` is undefined for an error inside a stream. */
export function findOverflow(status: number | undefined, error: ErrorText): OverflowFacts | null {
  if (CERTAIN_CODES.test(error.code) || CERTAIN_CODES.test(error.type)) {
    // OpenAI uses the same code for an over-long id as for over-long content.
    if (error.code === 'string_above_max_length' && !/\.content'/.test(error.message)) return null;
    return factsIn(error) ?? {};
  }
  if (!CERTAIN_TEXT.test(error.all) && NEAR_MISSES.some((pattern) => pattern.test(error.all))) return null;
  const named = factsIn(error);
  if (named) return named;
  // Cerebras and Mistral refuse without a word; so do proxies with a size limit.
  const bare = error.all.trim() === '';
  return status === 413 || (status === 400 && bare) ? {} : null;
}

function factsIn(error: ErrorText): OverflowFacts | null {
  for (const pattern of OVERFLOWS) {
    const groups = pattern.exec(error.all);
    if (!groups) continue;
    const window = error.window || numberOf(groups.groups?.window);
    const requested = numberOf(groups.groups?.requested);
    return { ...(window ? { window } : {}), ...(requested ? { requested } : {}) };
  }
  return error.window ? { window: error.window } : null;
}

/** Windows below 256 tokens or over a hundred million are other numbers. */
function numberOf(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const value = Number(text.replace(/[,_]/g, ''));
  return value >= 256 && value <= 100_000_000 ? value : undefined;
}
