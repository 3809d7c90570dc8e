/**
 * Classifies a provider's refusal: one `ModelError` kind, the facts worth acting on, and a sentence for a person. Pure.
 * That text always includes the provider's own message.
 */

import { ModelError, type ModelErrorFacts, type ModelErrorKind, type Refused } from '../../core/errors.ts';
import { formatCount } from '../../core/figures.ts';
import { parseJson } from '../../core/json.ts';
import { type Words, words } from '../../core/words.ts';
import { type ErrorText, readErrorBody, readErrorValue, showText, withoutKeys } from './errorBody.ts';
import { findOverflow, isOutputLimit, type OverflowFacts } from './overflowDialects.ts';
import { readRefusedFields, withPlaces } from './refusedFields.ts';
import { readRateReset, readRetryDelay } from './retryDelay.ts';

interface Refusal {
  /** Undefined for an error inside a stream that began with 200. */
  readonly status?: number;
  readonly headers?: { get(name: string): string | null };
  /** Raw text, or the parsed value of an error inside a stream. */
  readonly body: unknown;
}

/** For the sentence only. */
export interface RefusalPlace {
  /** Address without query. */
  readonly url: string;
  readonly model: string;
  /** The key that was sent: it is removed from the provider's message. */
  readonly secret?: string | undefined;
  /** In milliseconds since the epoch, to read a `Retry-After` date. */
  readonly now: number;
  /** `host:port` of the proxy on the way, if one is known. */
  readonly proxy?: string | null;
}

export function classifyError(refusal: Refusal, place: RefusalPlace): ModelError {
  const { body, headers } = refusal;
  const error = typeof body === 'string' ? readErrorBody(body) : readErrorValue(body);
  const status = refusal.status ?? statusIn(error);
  const overflow = findOverflow(status, error);
  const value = typeof body === 'string' ? parseJson(body) : body;
  const fields = readRefusedFields(value ?? body);
  const said = showText(withPlaces(error.message, fields), place.secret);
  const sources = {
    headers,
    value,
    text: error.all,
    now: place.now,
  };
  const delayMs = readRetryDelay(sources);
  const kind = overflow ? 'overflow' : kindOf(status, error, delayMs);
  const retryAfterMs = delayMs ?? (kind === 'rateLimit' ? readRateReset(sources) : undefined);
  const facts: ModelErrorFacts = {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(said ? { reported: said } : {}),
    ...(overflow?.window === undefined ? {} : { learnedWindow: overflow.window }),
    ...(overflow?.guessed ? { guessed: true } : {}),
    ...(kind === 'badRequest' && MALFORMED_HISTORY.test(error.all) ? { malformedHistory: true } : {}),
    retryable: isRetryable(kind, status, error, retryAfterMs),
  };
  const refused: Refused = {
    text: withoutKeys(error.full.slice(0, REFUSED_CHARACTERS), place.secret),
    fields: fields.map(({ path, says }) => ({ path, says: withoutKeys(says, place.secret) })),
  };
  const sentence = sentenceFor(kind, facts, said, place, overflow, error.all);
  return new ModelError(kind, sentence, facts, refused);
}

/** As many as are read of a refusal; an error inside a stream may be longer. */
const REFUSED_CHARACTERS = 65_536;

/** Errors inside a stream carry their status as a code. */
function statusIn(error: ErrorText): number | undefined {
  return /^[45]\d\d$/.test(error.code) ? Number(error.code) : undefined;
}

/** Calls without results, results without calls, and ids, signatures or arguments that the provider rejects. */
const MALFORMED_HISTORY =
  /must be followed by tool messages|tool_call_ids?\b|\btool_(use|result)\b|tool[ _-](call|use|result)s? ids?\b|messages? with role ['"`]?tool|['"`]tool['"`] role|role ['"`]?tool\b|unexpected tool call|(no|missing|without|unmatched|unanswered) tool (call|result|output|response)s?|tool (call|result|output|response)s? (is |are )?(missing|not found|unmatched)|function (call|response)s? (parts?|turn)|thought_?signature|thinking blocks? (must|cannot|in)|reasoning_content|(function|tool)[ _.](call[ _.])?arguments/i;

function sentenceFor(
  kind: ModelErrorKind,
  { status, retryAfterMs }: ModelErrorFacts,
  refusal: string,
  { url, model }: RefusalPlace,
  overflow: OverflowFacts | null,
  text: string,
): Words {
  const answered =
    status === undefined ? words('{0} answered with an error.', url) : words('{0} answered {1}.', url, status);
  const quoted = refusal ? words('It said: “{0}”', refusal) : words('It gave no reason.');
  switch (kind) {
    case 'overflow': {
      const usual = words('It gave no reason; usually the request is too long.');
      return [...tooLong(model, overflow), ...(refusal ? quoted : usual)];
    }
    case 'auth':
      if (COUNTRY.test(text)) return [...answered, ...NOT_IN_THIS_COUNTRY, ...quoted];
      if (NO_ACCESS.test(text)) return [...answered, ...noAccess(model), ...quoted];
      return [
        ...answered,
        ...words('The API key is missing, wrong or not allowed to use {0}. Check it, and set it again.', model),
        ...quoted,
      ];
    case 'billing':
      return [
        ...answered,
        ...words('The account has no credit or quota left. Add credit at the provider, or choose another model.'),
        ...quoted,
      ];
    case 'rateLimit':
      return isOverAllowance(text)
        ? [...answered, ...TOO_MUCH, ...quoted]
        : [...answered, ...words('The provider’s rate limit is reached.'), ...waitFor(retryAfterMs), ...quoted];
    case 'notFound':
      // Many say in one breath that it does not exist or that access to it is missing.
      if (NO_ACCESS.test(text) && !NOT_FOUND.test(text)) return [...answered, ...noAccess(model), ...quoted];
      if (isAboutModel(text)) return [...answered, ...noSuchModel(model, text), ...quoted];
      return [
        ...answered,
        ...words(
          'There is no model “{0}”, or no API for models at this address. Check the model’s name and the endpoint’s URL; it usually ends in /v1.',
          model,
        ),
        ...quoted,
      ];
    case 'network':
      return [...answered, ...words('The provider is unavailable or overloaded. Try again in a moment.'), ...quoted];
    case 'interrupted':
      return [
        ...words('{0} broke off the answer from {1}. Send the message again to continue.', url, model),
        ...quoted,
      ];
    case 'badRequest':
    case 'aborted':
      return [...answered, ...words('The request for {0} was refused.', model), ...quoted];
  }
}

/** Sold, or reachable, elsewhere only. */
const COUNTRY =
  /unsupported_country|\b(?:country|countries|region|territory|location|geograph\w*|jurisdiction)\b[^.]{0,60}(?:not (?:currently )?(?:supported|available|allowed|permitted)|unsupported|unavailable|restricted|blocked|prohibited)|(?:not (?:currently )?(?:supported|available|allowed|permitted|offered)|unavailable|unsupported|blocked|restricted)[^.]{0,60}\b(?:country|countries|region|territory|location|jurisdiction)\b|(?:地区|国家|区域)[^。]{0,20}(?:不支持|不可用|限制|禁止)|不支持[^。]{0,10}(?:地区|国家|区域)/i;

const NOT_IN_THIS_COUNTRY = words(
  'The provider does not serve the country or region from which the request came. Choose a model of another provider, or reach it through a network or a gateway that your organisation offers for it.',
);

/** The key is right; its account, project or organisation may not use the model. */
const NO_ACCESS =
  /(?:does ?n[o'’]t|do ?n[o'’]t|not) (?:currently )?have (?:the )?(?:access|permission)[^.]{0,40}\b(?:model|it|deployment)s?\b|no access to (?:the |this )?model|model[^.]{0,60}(?:not (?:enabled|allowed|authori[sz]ed|available) (?:for|to|in) (?:your|this)|requires? (?:access|approval|verification))|organization must be verified|not authori[sz]ed to (?:use|access|invoke|perform)[^.]{0,60}model|model_access_denied|access to (?:this |the )?model|gated (?:model|repo)|not allowed to (?:use|access)[^.]{0,20}model|无权(?:访问|使用|限)[^。]{0,20}模型|模型[^。]{0,20}(?:无权|未开通|没有权限)/i;

const noAccess = (model: string): Words =>
  words(
    'This account, project or key may not use {0}. Ask for access to it in the provider’s console, or choose another model.',
    model,
  );

const isAboutModel = (text: string) => NOT_FOUND.test(text) || NOT_OFFERED.test(text);

function noSuchModel(model: string, text: string): Words {
  const retired = /no longer|deprecated|retired|end[- ]of[- ]life|sunset|decommission|下线|停用/i.test(text);
  return retired
    ? words('The provider no longer offers {0}. Choose another model.', model)
    : words(
        'There is no model “{0}” at this endpoint. Choose one of the endpoint’s list, or check its name in the setting palimpsest.endpoints.',
        model,
      );
}

function tooLong(model: string, overflow: OverflowFacts | null): Words {
  const advice = words('Compact the conversation or choose a model with a larger window.');
  const { requested, window } = overflow ?? {};
  if (!window) return [...words('The request is longer than the context window of {0}.', model), ...advice];
  const fact = requested
    ? words(
        'The request ({0} tokens) is longer than the context window of {1}, which is {2} tokens.',
        grouped(requested),
        model,
        grouped(window),
      )
    : words('The request is longer than the context window of {0}, which is {1} tokens.', model, grouped(window));
  return [...fact, ...advice];
}

const TOO_MUCH = words(
  'This one request is larger than everything the provider allows in that time, so waiting will not help. Compact the conversation, or ask the provider for a higher limit.',
);

function waitFor(ms: number | undefined): Words {
  if (ms === undefined) return words('Wait, or choose another model.');
  const seconds = Math.ceil(ms / 1000);
  return seconds < 120
    ? words('Wait {0} s, or choose another model.', seconds)
    : words('Wait {0} min, or choose another model.', Math.ceil(seconds / 60));
}

function grouped(tokens: number): string {
  return formatCount(tokens);
}

/** Only money or another key helps, whatever else the text mentions. */
const NO_CREDIT =
  /insufficient[_ ](user[_ ]|account[_ ]|api[_ ])?(quota|balance|credits?|funds)|(balance|credits?|funds) (is |are |was |were |has been |have been )?(insufficient|not enough|exhausted|depleted|too low|used up)|(not enough|negative) (balance|credits?|funds)|quota is (insufficient|not enough)|exceeded_current_quota|credit balance|payment[ _](method )?(is )?required|card (was|is) declined|paid plan|trial (has )?(ended|expired)|out of credits?|run out of credits?|no (remaining |available )?credits?|requires more credits|used all (your |its |the )?(available |remaining )?credits|spend(ing)?[ _]limit|arrear|overdue|good standing|past (due )?invoices?|top[ -]?up|recharge|hard[_ ]limit|specified api usage limits|key limit (exceeded|reached)|free tier of the model has been exhausted|FreeTierOnly|account (is |has been )?(suspended|deactivated)|余额|欠费|充值|额度(已)?(用尽|不足|失败|耗尽)|剩余额度|资源包/i;

/** A monetary budget; a model's thinking budget has the same name. */
const BUDGET =
  /(?<!\b(thinking|reasoning|token|output)[ _])budget[ _](limit[ _])?((has|have)[ _]been[ _]|is[ _]|was[ _])?(exceeded|exhausted|used[ _]up|spent|reached|depleted)|\b(exceed(s|ed)?|exceeded[ _]?|crossed|over|reached|exhausted|out of|used up|hit)\s+(its |the |your |their |our |max |maximum |monthly |weekly |daily |usage |allotted )*budget\b(?!_|[ ](tokens?|for thinking))|ExceededBudget|\bcurrent (cost|spend): [\d.]+[\s\S]{0,40}budget/i;

/** OpenAI's message for spent credit and Gemini's for each minute, verbatim. */
const PLAN =
  /exceeded your current quota|check your plan and billing|monthly (token |request |usage |spending )*(quota|limit|usage|credits?|budget|allowance)|(free )?quota (is |has been )?(exhausted|used up)|used up your (free )?quota|quota (for|of) (this|the) month|premium requests?|billing (is )?(not active|disabled|issue|required)/i;

/** Gemini's free tier: a model outside of it has a quota of zero. */
const NOTHING_ALLOWED = /\bquota\b[\s\S]{0,300}\blimit: 0\b/i;

const AUTH =
  /(invalid|incorrect|missing|expired|no|malformed|unknown|wrong)[_ ]?(x-)?api[_ -]?key|api[_ ]key (is )?(not valid|invalid|missing|expired|not found|disabled)|unauthori[sz]ed|not authori[sz]ed|authenticat|unauthenticated|permission[_ ]denied|insufficient[_ ](permission|scope|privilege)|(?<![_a-z])forbidden|access denied|not allowed to access|(no|missing|invalid) (auth|credentials|bearer|access token)|login fail|^\W*invalid token\W*$|令牌|密钥|鉴权|未授权|无权/i;

const WINDOW_OF_TIME =
  /per[ _-]?(second|minute|min|hour|day)\b|\b(second|minute|hour|day|daily)[ _-]limit|\b(TPM|RPM|TPD|RPD|TPS|RPS|QPS|QPM)\b|PerMinute|PerDay|每(秒|分钟|小时|天)/i;

const RATE =
  /rate.?limit|too many (concurrent |simultaneous )?(requests|tokens)|throttl|resource.?(has been )?exhausted|concurren|\bquota\b|slow down|usage.limit|请求过于频繁|频率|速率|并发|限流|请求过多/i;

/** Within one sentence; a full stop in a model's name does not end it. */
const NEAR = String.raw`(?:[^.]|\.(?=\S)){0,120}`;

const NOT_FOUND = new RegExp(
  String.raw`model_not_found|\b(?:model|deployment)s?\b${NEAR}\b(?:not found|(?:does not|doesn['’]t|not) exist|(?:is not|isn['’]t) available|no longer)|no such model|unknown model|invalid model|not a valid model|model (?:identifier|id|name) is (?:invalid|unknown|incorrect|not valid)|on-demand throughput|模型不存在`,
  'i',
);

/** A model that is not offered; parameters that a model rejects are mentioned next to it. */
const NOT_OFFERED = new RegExp(
  String.raw`\b(?:model|deployment)s?\b(?!${NEAR}(?:parameter|argument|tool|function|image|audio|video|vision|stream|reasoning|role|schema|value|field))${NEAR}(?:\b(?:not supported|unknown)|isn['’]t supported)`,
  'i',
);

/** A server or model that lacks a feature never gains it, even if it reports a server error. */
const UNABLE =
  /\b(is|are|does|do) ?n['’o]t (currently )?support(ed)?\b|\bnot supported\b|\bnot implemented\b|\bmmproj\b|missing data required for|\brequires? --[a-z]/i;

const OVERLOADED =
  /overloaded|server (is )?busy|temporarily unavailable|capacity|try again later|service unavailable|insufficient_system_resource/i;

const TEMPLATE = /jinja|chat template|template (error|exception)|roles must alternate/i;

/** Refused because of its content: no other key helps. */
const DECLINED = /moderation|flagged|content.?(policy|filter)/i;
const ALLOWANCE_A_DAY = /per[ _-]?day|\b(TPD|RPD)\b|PerDay|daily|每天|每日/i;

/** A field of the request, whatever its name or value sounds like. */
const FIELD =
  /\bextra_forbidden\b|value_error\.extra|\b(?:unknown|unsupported)_(?:parameter|value)\b|extra (?:inputs|fields) (?:are )?not permitted|cannot find field|unrecognized request argument|additional properties are not allowed|unknown parameter:|unsupported (?:parameter|value):/i;

function kindOf(
  status: number | undefined,
  { all: text }: ErrorText,
  delayMs: number | undefined,
): Exclude<ModelErrorKind, 'overflow' | 'aborted'> {
  if (NOTHING_ALLOWED.test(text)) return 'billing';
  // Many temporary limits come with an advertisement for a plan or a payment method.
  const isByTime = WINDOW_OF_TIME.test(text) && !/key limit/i.test(text);
  if (status === 402 || ((NO_CREDIT.test(text) || BUDGET.test(text)) && !isByTime)) return 'billing';
  if (PLAN.test(text) && !isByTime && delayMs === undefined && !/quota exceeded for metric/i.test(text))
    return 'billing';
  if (status === 401) return 'auth';
  if ((status === 400 || status === 403 || status === 451) && COUNTRY.test(text) && !isAboutModel(text)) return 'auth';
  if (status !== 429 && !isByTime && isOutputLimit(text)) return 'badRequest';
  const isRate = isByTime || RATE.test(text);
  if (status === 403) return isRate ? 'rateLimit' : DECLINED.test(text) ? 'badRequest' : 'auth';
  if (status === 429 || isRate) return 'rateLimit';
  if ((status === 400 || status === 422) && FIELD.test(text)) return 'badRequest';
  if (NOT_FOUND.test(text) || NOT_OFFERED.test(text)) return 'notFound';
  if (status === 404 || status === 405 || status === 410) return 'notFound';
  if (TEMPLATE.test(text)) return 'badRequest';
  if (status === 501 || (status === 500 && UNABLE.test(text))) return 'badRequest';
  if (status !== undefined && status < 500 && AUTH.test(text)) return 'auth';
  if (status === 408 || status === 409 || (status !== undefined && status >= 500)) return 'network';
  if (status === undefined && AUTH.test(text)) return 'auth';
  if (OVERLOADED.test(text)) return 'network';
  return status === undefined ? 'interrupted' : 'badRequest';
}

function isRetryable(
  kind: ModelErrorKind,
  status: number | undefined,
  { all: text }: ErrorText,
  delayMs: number | undefined,
): boolean {
  switch (kind) {
    case 'rateLimit':
      return !isOverAllowance(text) && (delayMs !== undefined || !ALLOWANCE_A_DAY.test(text));
    case 'network':
      return true;
    case 'interrupted':
      return status === undefined;
    default:
      return false;
  }
}

/** A single request above the whole quota never fits, however long one waits. */
function isOverAllowance(text: string): boolean {
  if (/request too large/i.test(text)) return true;
  const { limit, requested } =
    /limit:? (?<limit>[\d,]+)[\s\S]{0,80}?requested:? (?<requested>[\d,]+)/i.exec(text)?.groups ?? {};
  return limit !== undefined && requested !== undefined && numberOf(requested) > numberOf(limit);
}

const numberOf = (text: string) => Number(text.replaceAll(',', ''));
