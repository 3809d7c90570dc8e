/**
 * Turns errors of VS Code and other extensions into a `ModelError` with advice: no key or endpoint of this extension is
 * involved. For most errors only the message is available, so it is parsed like a provider's refusal.
 */

import { ModelError, type ModelErrorFacts, type ModelErrorKind, messageOf } from '../../core/errors.ts';
import { asText, objectOf } from '../../core/json.ts';
import { type Words, words } from '../../core/words.ts';
import { classifyError } from '../../providers/errors/classifyError.ts';
import { readErrorBody, showText } from '../../providers/errors/errorBody.ts';

/** The extension's answer exceeded the model's output limit: the received part is kept. */
const ANSWER_CUT = /\b(response|answer|output)\b[^.]{0,40}\b(too long|exceeded the maximum length|length limit)/i;
const REQUEST_TOO_LONG = /\b(message|conversation|request|prompt)\b[^.]{0,20}\btoo (long|large)\b/i;
/** Quota that waiting a minute does not restore. */
const SPENT =
  /quota|allowance|premium requests?\b[^.]{0,40}\b(exceeded|used|limit)|out of (credits?|requests)|upgrade (your|to)/i;
const TOO_FAST = /rate.?limit|too many requests|per (minute|second|hour)|\b429\b/i;
const PASSING =
  /contained no choices|fetch failed|network|socket|\bE(CONN|TIMEDOUT|AI_AGAIN|PIPE)|net::|time?d? ?out|server error|unavailable|overloaded|bad gateway/i;
/** How extensions pass on a refusal: a status, then the provider's body. */
const REFUSED = /\b(?:failed|error|status)\b\W{0,10}(?:code\W{0,3})?(?<status>[45]\d\d)\b[:\s]{0,3}(?<body>[\s\S]*)$/i;

/** True for an error that ends a long, partly received answer. */
export function saysAnswerCut(thrown: unknown): boolean {
  return ANSWER_CUT.test(textOf(thrown));
}

export function classifyExtensionError(thrown: unknown, model: string): ModelError {
  const text = textOf(thrown);
  const { kind, ...facts } = judge(thrown, text, model);
  const reason = showText(messageIn(text), undefined);
  const quoted = reason ? words('It said: “{0}”', reason) : words('It gave no reason.');
  return new ModelError(kind, [...sentenceFor(kind, codeOf(thrown), model), ...quoted], {
    retryable: false,
    byExtension: true,
    cause: thrown,
    ...facts,
  });
}

/** The extension ended its answer without any text. */
export function emptyAnswer(model: string): ModelError {
  return new ModelError(
    'interrupted',
    words('{0} ended its answer without giving a reason. Send the message again to continue.', model),
    { retryable: true, byExtension: true },
  );
}

/** No extension offers a model of that name. */
export function notOffered(model: string): ModelError {
  return new ModelError('notFound', notOfferedWords(model), { retryable: false, byExtension: true });
}

const notOfferedWords = (model: string): Words =>
  words(
    'No extension offers {0} now. Enable its extension or sign in there, then try again; or choose another model.',
    model,
  );

type Judged = ModelErrorFacts & { readonly kind: ModelErrorKind };

function judge(thrown: unknown, text: string, model: string): Judged {
  switch (codeOf(thrown)) {
    case 'NoPermissions':
      return { kind: 'auth' };
    case 'NotFound':
      return { kind: 'notFound' };
    case 'Blocked':
      return { kind: TOO_FAST.test(text) ? 'rateLimit' : 'billing' };
    case 'ChatQuotaExceeded':
      return { kind: 'billing' };
    case 'ChatRateLimited':
      return { kind: 'rateLimit', retryable: true };
    case 'Canceled':
      return { kind: 'interrupted' };
    default:
      return judgeText(text, model);
  }
}

function judgeText(text: string, model: string): Judged {
  const { status, body } = REFUSED.exec(text)?.groups ?? {};
  const refusal = status ? { status: Number(status), body: body || text } : { body: text };
  const { kind, facts } = classifyError(refusal, { url: '', model, now: 0 });
  if (kind === 'overflow' || (status && !SPENT.test(text))) return { kind, ...facts };
  if (REQUEST_TOO_LONG.test(text)) return { kind: 'overflow' };
  if (SPENT.test(text) && !TOO_FAST.test(text))
    return { kind: 'billing', ...(status ? { status: Number(status) } : {}) };
  if (TOO_FAST.test(text)) return { kind: 'rateLimit', retryable: true };
  // Retrying does not fix a bug of the extension.
  return kind === 'interrupted' ? { kind, retryable: PASSING.test(text) } : { kind, ...facts };
}

function sentenceFor(kind: ModelErrorKind, code: string, model: string): Words {
  switch (kind) {
    case 'auth':
      return code === 'NoPermissions'
        ? words(
            'You have not allowed Palimpsest to use {0}. Try again and choose “Allow”, or choose another model. “Manage Language Model Access…” in the command palette shows what is allowed.',
            model,
          )
        : words('The extension that offers {0} has no access to it. Sign in there, then try again.', model);
    case 'billing':
      return words(
        'The quota of {0} is used up, or its extension does not serve Palimpsest now. Wait until that changes, or choose another model.',
        model,
      );
    case 'rateLimit':
      return words('{0} received too many requests. Wait, or choose another model.', model);
    case 'notFound':
      return code === 'NotFound'
        ? notOfferedWords(model)
        : words(
            'The extension that offers {0} was denied access to it. Choose another model, or check that extension.',
            model,
          );
    case 'overflow':
      return words(
        'The request is longer than {0} accepts. Compact the conversation or choose a model with a larger window.',
        model,
      );
    case 'network':
      return words('{0} is unavailable or overloaded. Try again in a moment.', model);
    case 'interrupted':
      return words('The extension broke off the answer from {0}. Send the message again to continue.', model);
    case 'badRequest':
    case 'aborted':
      return words('The request for {0} was refused.', model);
  }
}

/** `LanguageModelError` has its own code; other extensions' errors arrive with only their name. */
function codeOf(thrown: unknown): string {
  const { code, name } = objectOf(thrown);
  return [asText(code), asText(name)].find((each) => each && !/^(LanguageModelError|Error|Unknown)$/.test(each)) ?? '';
}

/** With its causes: VS Code wraps an extension's own error. */
function textOf(thrown: unknown): string {
  const { cause } = objectOf(thrown);
  const own = messageOf(thrown);
  const inner = cause === undefined ? '' : messageOf(cause);
  return inner && !own.includes(inner) ? `${own} ${inner}` : own;
}

/** The provider's own message, where the extension passed on a body. */
function messageIn(text: string): string {
  const { body } = REFUSED.exec(text)?.groups ?? {};
  return body ? readErrorBody(body).message || text : text;
}
