/**
 * Reads whether a sentence of a person may take back or change an order they gave before: permissions, withdrawals,
 * exceptions. Whether one does is for the model to judge: it is told beside the order, and the order stays. Callers pass
 * the person's own words only. Time is linear in the length of the text.
 */

import { type OwnSentence, sentencesIn } from './sentences.ts';

export interface Remark {
  /** Verbatim. */
  readonly text: string;
  /**
   * `open`: it speaks of a rule or of an earlier word, perhaps without naming its subject, so it may concern any order.
   * `sure`: it permits, takes back or lifts. `weak`: it hints at a change. `none`: only its subject can tell.
   */
  readonly sign: 'open' | 'sure' | 'weak' | 'none';
}

/** In characters. */
const LONGEST = 300;

/** A request in the form of a question. */
const REQUEST =
  /^(?:(?:and|but|so|ok|okay|well),? )?(?:please,? )?(?:can|could|would|will) you\b|^(?:请)?(?:你)?(?:能不能|能否|可不可以|可否|可以不可以)/i;

const QUESTION =
  /[?？]|^(?:(?:and|but|so|ok|okay|well),? )?(?:why|what(?!ever)|how|when|where|who|which|should|shall|does|do (?:you|we|i)|did|is|are|am|can|could|would|will|has|have|was|were)\b(?! no longer)|[吗呢]\s*[。.！!]*$/i;

/** The order or the earlier word itself is the subject. */
const OPEN: readonly RegExp[] = [
  /\b(?:that|this|it|which)(?:'s| is| was)? (?:all |now |finally |officially )?(?:over|off|gone|lifted|void|moot|obsolete|cancell?ed|revoked|history|settled|withdrawn|no longer|not (?:any ?more|in force|necessary|needed|required|a rule))\b/i,
  /\b(?:forget|ignore|disregard|drop|cancel|revoke|lift|scrap|withdraw|retract|rescind|repeal|undo|scratch|overrule|relax|take back|never mind|nevermind|nvm)\b.{0,40}\b(?:that|this|it|those|these|what|all|everything|rules?|orders?|restrictions?|constraints?|instructions?|ban|demands?|requirements?|requests?|limits?|freeze|said|told|asked|mentioned|previous|earlier|last|above)\b/i,
  /\b(?:the|that|this|my|those|these|any|all|no) (?:[\w-]+ ){0,2}(?:rules?|orders?|restrictions?|constraints?|instructions?|ban|requirements?|prohibition|freeze|moratorium|embargo)\b.{0,40}\b(?:over|off|gone|lifted|void|moot|obsolete|cancell?ed|revoked|history|no longer|any ?more|ends?|ended|expires?|expired|stand|stands|appl(?:y|ies)|holds?|relaxed|dropped)\b/i,
  /\b(?:what|like|as) i (?:just |once |had )?(?:said|told|asked|wrote|demanded|mentioned)\b|\bi (?:take|took) (?:that|this|it|back)\b|\bi(?:'ve| have)? changed my mind\b|\bon second thoughts?\b|\bscratch that\b/i,
  /\b(?:does|do|is|are|did)(?: not|n't)? (?:apply|hold|count|stand|bind(?:ing)?|in force|valid)\b.{0,20}(?:any ?more|any longer|now)?\b|\bno longer (?:applies|apply|holds?|counts?|stands?|valid|binding|in force|matters?)\b/i,
  /\bwhatever\b.{0,30}\b(?:like|want|prefer|please|wish)\b|\b(?:as you (?:please|like|wish)|up to you|your (?:call|choice))\b|随你|随便|你看着办|都行/i,
  /^(?:well,? |oh,? |no,? )?actually\b|\bi trust you\b|\b(?:can|may) be as \w+ as\b/i,
  /\b(?:business as usual|back to normal|all clear|you are free again|you have a free hand)\b/i,
  /(?:那|这|上面|之前|前面|刚才|先前|原来|以前|此前)(?:[条个项些]|说|讲|提|要求|规定|定|的)|(?:取消|作废|撤销|撤回|收回|解除|废除|失效|不算数|不算了|算了|不作数|当我没说|忘掉|忘了|别管|不用管|改主意|不再(?:适用|有效|要求|生效))|(?:规定|限制|要求|规则|约定|禁令|约束).{0,12}(?:了|没有|不再|取消|解除|放宽)/,
  /^(?:好了?[，,]?|行了?[，,]?)?(?:现在|已经|如今|这下|从今天起)[^，,。]{0,6}(?:可以|能|允许|准许|放开|不用|不必|不需要|无需|没关系)/,
  /\b(?:das ist vorbei|vergiss|gilt nicht mehr|hebe .* auf|aufgehoben|nicht mehr nötig|c'est fini|oublie|ne s'applique plus|annul[eé]|olvida|ya no (?:aplica|hace falta|importa)|se acabó|esquece|já não|dimentica|non vale più|vergeet|geldt niet meer)\b|забудь|больше не (?:действует|нужно)|отмен|もう(?:いい|大丈夫|不要|忘れ)|取り消|忘れて|撤回|취소|잊어|더 이상/iu,
];

/** A permission, a change or an exception: it concerns an order that has the same subject. */
const ABOUT: readonly RegExp[] = [
  /\b(?:you|agents?|everyone|anyone|we)(?: both| all)? (?:may|can|could|might)\b|\byou(?:'re| are) (?:now |again |hereby )?(?:allowed|free|welcome|permitted|cleared|good)\b|\bfeel free\b|\bgo ahead\b|\b(?:can|may|could|should) (?:now |again |also )*be \w+|\bhave (?:my|the) (?:permission|blessing|ok|okay|go-ahead|approval)\b/i,
  /\b(?:is|are|it's|that's|'s|'re) (?:now |also |again |totally |perfectly |fully )?(?:ok|okay|fine|alright|all right|allowed|permitted|acceptable|welcome|possible|optional|enough|good|open|unlocked|unfrozen|free)\b/i,
  /\b(?:no longer|any ?more|any longer|not necessary|not needed|no need|unnecessary|needn't|instead|after all|again|back to|switch(?:ed)?|from now on|from here on|as of (?:now|today)|starting (?:now|today)|except|exception|unless|apart from|other than|rather than|over|lifted|dropped|relaxed)\b/i,
  /\b(?:don't|do not|doesn't|does not|didn't) (?:have to|need|mind|care|want|matter)\b|\bi(?:'d| would) (?:rather|prefer)\b|\bwhatever\b.{0,30}\b(?:like|want|prefer|please|wish)\b/i,
  /\b(?:forget|ignore|disregard|drop|cancel|revoke|lift|scrap|withdraw|never mind|nevermind|nvm|skip|stop|quit|enough)\b/i,
  /可以|能够|能[^，,。]{0,12}了|允许|准许|不用|不必|不需要|无需|没必要|不再|改成|改为|改用|换成|换用|改回|恢复|照旧|随便|随意|随你|都行|没关系|无所谓|例外|除了|除外|放开|放宽|取消|忘|不[^，,。]{1,8}了/,
  /\b(?:darfst|dürft|kannst|nicht mehr|stattdessen|wieder|ab jetzt|ausnahme|peux|pouvez|plus besoin|désormais|maintenant|à nouveau|sauf|puedes|puede|ya no|ahora|de nuevo|salvo|excepto|pode|podes|agora|puoi|adesso|ora|mag|kunt|voortaan)\b|можешь|можно|теперь|больше не|снова|кроме|てもいい|ても構|ていい|構いません|해도 (?:돼|됩|좋)|이제|다시/iu,
];

/** On its own it says little. */
const WEAK = /\bnow\b|现在/i;

/** In order. */
export function findRemarks(text: string): readonly Remark[] {
  return sentencesIn(text).flatMap(({ text: sentence, bare }: OwnSentence): Remark[] => {
    if (sentence.length < 3 || sentence.length > LONGEST || (QUESTION.test(bare) && !REQUEST.test(bare))) return [];
    const straight = bare.replace(/[’]/g, "'");
    return [{ text: sentence, sign: signOf(straight) }];
  });
}

function signOf(sentence: string): Remark['sign'] {
  if (OPEN.some((pattern) => pattern.test(sentence))) return 'open';
  if (ABOUT.some((pattern) => pattern.test(sentence))) return 'sure';
  return WEAK.test(sentence) ? 'weak' : 'none';
}

/** True for an order that also says that something changes: it may replace an earlier order. */
export function saysChange(order: string): boolean {
  return /\b(?:from now on|from here on|from today|as of|starting|instead|no longer|any ?more|henceforth|going forward|rather|now|again|switch|except|unless|ab jetzt|von nun an|künftig|désormais|dorénavant|a partir de ahora|de ahora|d'ora in poi|voortaan|vanaf nu)\b|从现在|从今|以后|今后|改|换|现在|不再|отныне|теперь|впредь|今後|これから|앞으로|이제/iu.test(
    order,
  );
}
