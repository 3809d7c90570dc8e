/**
 * Recognises providers' messages about a request longer than the model's window, and messages that only sound like it.
 * The latter are matched first, because a rate limit in tokens must never start a compaction. The text is short
 * (`ErrorText.all`): some patterns take quadratic time.
 */

import type { ErrorText } from './errorBody.ts';

export interface OverflowFacts {
  /** The model's window in tokens, if the text gives it. */
  readonly window?: number;
  /** Tokens of the refused request, if the text gives them. */
  readonly requested?: number;
  /** Inferred from the status alone. */
  readonly guessed?: boolean;
}

const CERTAIN_CODES =
  /^(context_length_exceeded|exceed_context_size_error|context_window_exceeded|model_context_window_exceeded|model_max_prompt_tokens_exceeded|tokens_limit_reached|prompt_too_long|input_too_long|request_too_large|string_above_max_length)$/i;

/** vLLM names the output limit, but the sum of both is too long; Volcengine names images next to the text. */
const CERTAIN_TEXT =
  /maximum context length is (?<window>[\d,_]+) tokens and your request has (?<requested>[\d,_]+) input tokens|exceed max message tokens|`?max_tokens`? must be at least 1,? got -\d+/i;

/** A rate, a bill or a time limit: never an overflow, whatever else the text mentions. */
const OTHER_LIMITS: readonly RegExp[] = [
  /rate.?limit|per[ _-]?(second|minute|min|hour|day|month)\b|\b(TPM|RPM|TPD|RPD)\b|throttl|\bquota\b|billing|too many (concurrent )?requests/i,
  /too many tokens, please wait|concurren|try again later|try again in (\d|a |some )|please wait|tokens? rate/i,
  /context (deadline|cancell?ed)|timed? ?out|\bcredits?\b|\bbalance\b|this month|monthly|daily/i,
  /频率|速率|并发|次数|访问量|限额|每(秒|分钟|小时|天|月)|额度|余额|欠费|限流/,
  /maximum allowed number of output tokens|thinking|budget_tokens|reasoning budget/i,
  /out of memory|failed to create context|batch[_ ]size|too small|too short|reasoning tokens/i,
  /(access|session|bearer|auth\w*|api|refresh|csrf) token/i,
];

/** Other things that can be too long or too many. */
const OTHER_PARTS: readonly RegExp[] = [
  /(?<![a-z])(tool|function|parameter|file|header|id|url|uri|key|schema|description|stop sequence|title|name|metadata)s?\b[^.]{0,60}\b(too (long|large|many|big)|exceeds?|longer than|(is|are) over)/i,
  /\b(image|audio|video|pdf|attachment|file)s?\b[^.]{0,80}\b(exceeds?|too large|maximum)/i,
  /prompt_cache_key|array too long|too many (tools|functions|images|messages in batch)|queue length/i,
];

/** The context is exceeded, whatever else is mentioned. */
const FIRM =
  /maximum context length|context[ _-]?(window|length|size|limit)[^.]{0,40}exceed|exceed[^.]{0,60}(context[ _-]?(window|length|size|limit))|input token count|(prompt|conversation) is too long/i;

/** The room for the answer alone. If the prompt is mentioned too, the sum of both is meant. */
const OUTPUT =
  /\bmax_?(completion_?|output_?|new_?)?tokens\b|\b(output|completion|response)\b|\bgenerat(ed|ion)\b|输出/i;

const INPUT =
  /\b(prompt|inputs?|messages?|conversation|history)\b|tokens? in (the |your )?request|request has|too large for model|n_ctx|输入|提示|上下文|消息|对话/i;

/** Words of validators and wrappers, which occur in any refusal. */
const BOILERPLATE =
  /\bcontext[ _]window\b|\binput validation error\b|\bmalformed input request\b|\binput should be\b|["']\w{1,40}["']\s*:/gi;

/** Vendors' names for the room of the answer. */
const ANSWER = String.raw`(?:\bmax_?(?:completion_?|output_?|new_?)?tokens(?:_to_sample)?\b|\bmaxTokenCount\b|\bmax_gen_len\b|\b(?:num|n)_predict\b|\bmax tokens (?:must|should|value|parameter)\b|\b(?:output|completion|new|generated) (?:tokens?|length|limit)\b|\btokens to (?:generate|sample)\b|\bmaximum (?:number of )?tokens (?:you |that you )?(?:requested|value)\b|\brequested maximum (?:number of )?tokens\b|\bmaximum output\b)`;
const LIMITED = String.raw`(?:exceed|too (?:large|big|high)|(?:larg|great|high|bigg)er than|less (?:than )?or equal|(?:must|should) be|at most|maximum|\blimit\b|\brange\b|[<>])`;

/** Only the answer can be too long. */
const OUTPUT_LIMIT = new RegExp(`${ANSWER}[\\s\\S]{0,120}?${LIMITED}|${LIMITED}[\\s\\S]{0,120}?${ANSWER}`, 'i');

/** The limit of the answer is exceeded, or the answer exceeds another limit, even if the prompt is mentioned. */
const OVER_OUTPUT: readonly RegExp[] = [
  /(?:exceeds?|exceeded|than|equal to|at most|up to|[<>]=?)\s+(?:(?:the|its|this|model['’]?s?|limit|of|\d+|which|is|maximum|max|allowed|number)\s+)*(?:output|completion) tokens\b/i,
  // After a plus sign it is a part of a sum.
  /(?<!(?:\+|\band|\bplus)\s*[`'"(]?)\bmax_?(?:completion_?|output_?|new_?)?tokens[`'"]?\s*(?:[:=(]?\s*\d+\)?\s*)?(?:(?:can ?not|must not|should not|may not|must|should|is|be)\s+)*(?:exceeds?|>|<=?|(?:less|greater|larger) than(?: or equal to)?|at most)\s*(?:the |a |maximum |max |limit |allowed |value |of )*[`'"(]?\d/i,
];

/**
 * The requested answer is too long, so a shorter prompt does not help. A text that involves the prompt is about the sum
 * of both.
 */
export function isOutputLimit(text: string): boolean {
  if (FIRM.test(text)) return false;
  return OVER_OUTPUT.some((pattern) => pattern.test(text)) || (OUTPUT_LIMIT.test(text) && !speaksOfInput(text));
}

const speaksOfInput = (text: string) => INPUT.test(text.replace(BOILERPLATE, ' '));

const CONTEXT =
  '(?:context[ _-]?(?:window|length|size|limit|len|capacity)|(?:max(?:imum)? )?(?:model|prompt|input|sequence)[ _](?:length|len|size)|n_?ctx|num_ctx|max_model_len|max_seq(?:uence)?_len(?:gth)?|max_num_tokens|token (?:limit|window))';

const EXCESS = String.raw`(?:exceed\w*|too (?:long|large|big)|(?:long|larg|great|bigg)er than|surpass\w*|beyond|(?:does ?n['’o]t|can ?n?['’o]t) fit|only supports?|overflow\w*|over (?:the |its )?(?:\w+ )?(?:limit|maximum)|>)`;
const WHAT = '(?:prompt|input|conversation|chat|(?:message |chat )?history|messages?|transcript|context)';

/** Within one sentence; a full stop in a number does not end it. */
const NEAR = String.raw`(?:[^.]|\.(?=\d)){0,120}`;

/** Unknown wordings: a part of the request, and a statement that it exceeds what the model accepts. */
const FAMILIES: readonly RegExp[] = [
  new RegExp(String.raw`\b${CONTEXT}\b${NEAR}${EXCESS}`, 'i'),
  new RegExp(String.raw`${EXCESS}${NEAR}\b${CONTEXT}\b`, 'i'),
  new RegExp(
    String.raw`\b${WHAT} (?:text |length )?(?:is |are |was |were |has become |became )?(?:much |far |way )?too (?:long|large|big)`,
    'i',
  ),
  new RegExp(String.raw`\b(?:${WHAT}|request|tokens?)\b${NEAR}exceed${NEAR}\btokens?\b`, 'i'),
  new RegExp(String.raw`\btokens?\b${NEAR}exceed${NEAR}\b(?:model|limit|maximum|${WHAT})\b`, 'i'),
  new RegExp(String.raw`\b${WHAT}\b${NEAR}\btokens?\b${NEAR}\bonly (?:supports?|takes|accepts)`, 'i'),
  new RegExp(String.raw`\btokens? in (?:the |your |this )?(?:request|${WHAT})\b${NEAR}(?:${EXCESS}|more than)`, 'i'),
  new RegExp(String.raw`\bmore tokens than\b${NEAR}\b(?:model|maximum of|context|window)\b`, 'i'),
  /too many (?:input |prompt )?tokens|reached (?:the )?(?:max(?:imum)? )?context length/i,
  new RegExp(String.raw`(?:shorten|reduce|trim|truncate) (?:the|your) (?:${WHAT})\b`, 'i'),
  new RegExp(String.raw`\b(?:length|size) of (?:the |your )?(?:${WHAT})\b${NEAR}exceed`, 'i'),
  new RegExp(String.raw`\b(?:${WHAT}|request)\b${NEAR}\btokens?\b${NEAR}exceed\w* \(?\d{3,}`, 'i'),
  new RegExp(String.raw`\btokens?\b${NEAR}over (?:the |its )?(?:\w+ )?(?:limit|maximum)`, 'i'),
  /\bmodel\b.{0,40}\b(?:supports?|takes|accepts)\b.{0,40}\d{3,}[\s\S]{0,60}\brequested \d+ tokens/i,
  /\brequested \d+ tokens[\s\S]{0,60}\bmodel\b.{0,40}\b(?:supports?|takes|accepts)\b.{0,40}\d{3,}/i,
  /\b(?:inputs?|prompt)\b.{0,40}must (?:be|have)(?: at most| no more than| less than(?: or equal to)?| fewer than| <=?)+ \d+ tokens/i,
  /context (?:window |buffer )?(?:is )?full|kv[ _-]cache (?:is )?full|token count (?:exceeds?|is (?:over|above))/i,
  /\b(?:message|request|prompt)s?(?: (?:you|that)\b[^.]{0,30})? (?:is|was|were) too (?:long|large)/i,
  /context_?(?:length|window|size)_?exceeded|exceed_context_size|(?:prompt|input)_too_long|tokens?_limit_(?:exceeded|reached)/i,
  /max(?:imum)? input (?:characters?|length|tokens?) (?:is|are|of|:)/i,
  /(?:上下文|输入|提示|对话|消息|prompt|请求的? ?token)[^。参]{0,30}(?:超出|超过|超长|过长|太长|大于)/iu,
];

/** Each captures, if possible, the window as `window` and the request's size as `requested`. */
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
  /prompt (?:contains|has) (?<requested>[\d,_]+) tokens[\s\S]{0,80}?(?:max(?:imum)?|limit|context|n_ctx)\D{0,30}(?<window>[\d,_]+)/i,
  /maximum prompt length is (?<window>[\d,_]+)(?:[\s\S]*?contains (?<requested>[\d,_]+))?/i,
  /(?:prompt_tokens|prompt token count|input tokens?|tokens in the prompt)\D{0,20}(?<requested>[\d,_]+)?\)? (?:cannot exceed|exceeds|must be less than)\D{0,40}(?<window>[\d,_]+)/i,
  /prompt(?: tokens)? (?:is )?(?:too long|exceeds max(?:imum)? length)|context window exceeds limit/i,
  /request of (?<requested>[\d,_]+) tokens exceeds the model limit of (?<window>[\d,_]+)/i,
  /prompt tokens \+ max_tokens > context window(?: \((?<window>[\d,_]+)\))?/i,
  /reduce the length of (?:the|your) (?:messages|prompt|input)/i,
  /`?inputs`? (?:tokens \+ `?max_new_tokens`? )?must (?:be|have) (?:<=|less than) (?<window>[\d,_]+)(?:[\s\S]*?Given:? (?<requested>[\d,_]+))?/i,
  /range of input length should be \[\d+, ?(?<window>[\d,_]+)\]/i,
  /request entity too large|payload too large|request body (?:is )?too large|request_too_large|request exceeds the maximum (?:allowed )?(?:size|number of bytes)/i,
  /(?:request )?body (?:is )?too large for|prompt(?: is| 内容)?\s*超长|token ?数?量?超(?:过|出)/i,
  /expected maxlength: \d+, actual: \d+/i,
  ...FAMILIES,
];

/** Null when the text is not about the window. `status` is undefined for an error inside a stream. */
export function findOverflow(status: number | undefined, given: ErrorText): OverflowFacts | null {
  // A key is refused before anything is counted.
  if (status === 401) return null;
  const error = { ...given, all: spellNumbers(given.all), words: spellNumbers(given.words) };
  if (CERTAIN_CODES.test(error.code) || CERTAIN_CODES.test(error.type)) {
    // OpenAI uses the same code for an over-long id as for over-long content.
    if (error.code === 'string_above_max_length') return /\.content'/.test(error.message) ? {} : null;
    return factsIn(error) ?? windowFacts(error);
  }
  if (!CERTAIN_TEXT.test(error.all) && isOther(error.all)) return null;
  const named = factsIn(error);
  if (named) return named;
  // Cerebras and Mistral refuse without a message, and so do proxies with a size limit: only the status is known.
  return status === 413 || (status === 400 && error.blank) ? { guessed: true } : null;
}

function isOther(text: string): boolean {
  if (OTHER_LIMITS.some((pattern) => pattern.test(text))) return true;
  if (isOutputLimit(text) || (OUTPUT.test(text) && !speaksOfInput(text))) return true;
  return !FIRM.test(text) && OTHER_PARTS.some((pattern) => pattern.test(text));
}

function factsIn(error: ErrorText): OverflowFacts | null {
  for (const pattern of OVERFLOWS) {
    const groups = pattern.exec(error.all);
    if (!groups) continue;
    const requested = readTokens(groups.groups?.requested);
    return { ...windowFacts(error, readTokens(groups.groups?.window)), ...(requested ? { requested } : {}) };
  }
  return error.window ? { window: error.window } : null;
}

function windowFacts(error: ErrorText, named?: number): OverflowFacts {
  const window = error.window || named || findWindow(error.words);
  return window ? { window } : {};
}

/** As plain digits: `128k`, `1M`, `256,000`, `200_000`, `32768.0`. */
function spellNumbers(text: string): string {
  return text
    .replace(/(?<=\d)[,_](?=\d{3}(?!\d))/g, '')
    .replace(/\b(\d+)\.0+\b(?!\.)/g, '$1')
    .replace(/\b(\d{1,4}(?:\.\d+)?)[ -]?([kKmM])\b(?![a-zA-Z])/g, (_, count: string, unit: string) =>
      String(Math.round(Number(count) * (unit.toLowerCase() === 'k' ? 1e3 : 1e6))),
    );
}

/** Windows below 256 tokens or over a hundred million are other numbers. */
function readTokens(digits: string | undefined): number | undefined {
  if (!digits) return undefined;
  const value = Number(digits.replace(/[,_]/g, ''));
  return value >= 256 && value <= 100_000_000 ? value : undefined;
}

const NUMBER = String.raw`(?<window>\d{3,9})(?!\d|\.\d|\s*(?:characters?|chars?|bytes?|[kmg]i?b\b|images?|messages?|seconds?|ms\b|%|字符))`;

/** Words that may appear between a limit and its number. */
const FILLER = String.raw`(?:\s+(?:is|of|to|only|context|tokens?|number|length|size|window|input|prompt|allowed|for|this|the|model|are|be|in|that|it|supports?|up|at|most|takes|configured|available|maximum|max|limit)\b)*(?:\s*[为是])?[\s:=(,\[\x60'"~≈]*`;

/** In order: comparisons, parameter names, limit names, and words after a number. */
const NAMED: readonly RegExp[] = [
  /\d{3,9} ?\/ ?(?<window>\d{3,9})\b/,
  /\d\D{0,24}(?:>=?|≥)\s*(?:[a-z_]+\s*[(=:]?\s*)?(?<window>\d{3,9})/i,
  new RegExp(
    String.raw`\b(?:n_ctx|num_ctx|max_model_len|max_seq(?:uence)?_len(?:gth)?|max_num_tokens|max_position_embeddings|max_context_(?:length|tokens|size)|context_(?:length|window|size)|max_(?:input|prompt|total)_(?:tokens|length)|token_limit)["'\x60]?\s*(?:[:=(\[]|\bis\b|\bof\b|\s)*${NUMBER}`,
    'i',
  ),
  new RegExp(
    String.raw`(?:\b(?:limit|maximum|max|allowed|supports?|takes|up to|at most|no more than|less than|fewer than)\b|最大|上限|限制|最多)${FILLER}${NUMBER}`,
    'i',
  ),
  new RegExp(
    String.raw`\bcontext[ _-]?(?:window|length|size|limit)\b${FILLER}${NUMBER}(?!\W{0,3}(?:tokens?)?\W{0,3}(?:exceed|is (?:too|longer|larger)|>))`,
    'i',
  ),
  new RegExp(String.raw`${NUMBER}[ -]?(?:tokens?)?[ -]?(?:maximum|limit|max\b|(?:token )?context)`, 'i'),
  new RegExp(String.raw`(?:最大|上限|限制|长度)[^\d。]{0,20}${NUMBER}`, 'u'),
  new RegExp(
    String.raw`(?:exceed\w*|less than(?: or equal to)?|at most|no more than|fewer than)\s*[(\x60]?${NUMBER}`,
    'i',
  ),
];

/** MiniMax writes the number of its error after its message. */
const MINIMAX_CODE = /exceeds limit \(2013\)/i;

function findWindow(given: string): number | undefined {
  const text = given.replace(MINIMAX_CODE, '');
  for (const pattern of NAMED) {
    const found = readTokens(pattern.exec(text)?.groups?.window);
    if (found) return found;
  }
  return undefined;
}
