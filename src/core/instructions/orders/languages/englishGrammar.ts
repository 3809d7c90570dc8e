/**
 * Recognises English sentences that state a lasting demand. Callers remove quotations first and never pass questions.
 */

const QUESTION =
  /^(?:and |but |so |or |hmm,? |ok,? |well,? )?(?:why|what|how|when(?=\s+(?:do|does|did|is|are|will|can|should))|where|who|which|should|shall (?:i|we)|does|do (?:you|we|i|they)|did|is|are|am|can|could|would|will|has|have|was|were|i wonder|any idea|maybe|perhaps)\b/i;

/** For this once: a statement about now says nothing about later. */
const ONCE =
  /\b(?:yet|(?<!from )now(?! on)|right now|for now|for the moment|at the moment|for the time being|this time|just this once|today|tonight|tomorrow|later|for once|in the meantime|meanwhile|as a first step)\b/i;

/** A marker that lasts is stronger than one of this moment. */
const LASTING =
  /\b(?:from (?:now|here|this point|today) on(?:wards)?|from here on|going forward|in (?:the )?future|henceforth|for the rest of|at all times|as a rule|for good|(?:each|every) time|every single time|without exception|under no circumstances|at no time|by no means|no matter what|whatever (?:happens|you do|comes up|it takes)(?=,|$)|come what may|at all costs|in (?:no|any) case|in all cases|at (?:no|any) point|on no account|under any circumstances)\b/i;

const BEGINS_LASTING = new RegExp(`^${LASTING.source}`, 'i');

const OPENING =
  /^(?:(?:and|but|so|then|also|or|oh|ok|okay|well|btw|by the way|note(?: that)?|important|rule|reminder|nb|hey|hi|thanks|finally|besides|in addition|additionally|otherwise|again|however|one more thing|please note|that said|it works)[:,]?\s+)*(?:please,?\s+|kindly\s+|pls\s+)?/i;

/** The addressee of a demand, where the sentence names one. */
const TOLD =
  /^(?:you\s+(?:must|should|shall|will|have to|need to|are to|ought to|may|can)\s+|(?:i|we)(?:'d| would)?\s+(?:want|need|expect|ask|like)\s+(?:you\s+)?(?:to\s+)?(?:you\s+)?|i insist (?:that )?you\s+|make (?:absolutely )?sure\s+(?:that\s+)?(?:you|to)\s+|be (?:sure|careful|certain) to\s+|take care to\s+|remember to\s+|it(?: is|'s) (?:very |really |absolutely )?(?:important|essential|vital|crucial|critical|mandatory) (?:that\s+)?(?:you|to)\s+)/i;

export const ENGLISH_VERBS =
  'use|touch|change|edit|modify|write|add|create|work|commit|push|run|read|put|import|call|target|support|answer|reply|respond|make|install|log|test|rely|depend|keep|include|return|throw|export|name|store|open|delete|remove|rename|move|format|reformat|refactor|deploy|merge|rebase|fix|show|explain|tell|ask|check|update|regenerate|generate|document|comment|translate|print|build|follow|prefer|avoid|validate|sanitize|escape|close|handle|quote|wrap|sign|squash|tag|branch|speak|talk|stay|pin|cite|link|mention|state|give|send|start|begin|end|finish|stop|let|leave|set|treat|declare|define|implement|extend|inherit|mock|stub|verify|confirm|consult|report|summari[sz]e|bump|lint|type|annotate|indent|align|sort|group|split|limit|restrict|touch|do|be|have|go|take|get|bring|look|search|fetch|download|upload|connect|query|access|execute|invoke|apply|review|approve|propose|suggest|assume|guess|invent|expose|leak|share|disable|enable|skip|ignore|suppress|silence|catch|swallow|cache|copy|paste|duplicate|repeat|abbreviate|shorten|omit|drop|break|overwrite|replace|revert|reset|restore|force|amend|alter|introduce|reference|mix|nest|hard-?code|inline|trust|pass|process|bypass|save|load|draft|plan|think|stick|wait';
const IMPERATIVE = new RegExp(`^(?:${ENGLISH_VERBS})\\b`, 'i');

/** Pasted from a log or a program: its “must not” was not addressed to the agent. */
const OF_A_MACHINE =
  /^(?:\W{0,3}\d{1,4}[-:/.]\d\d|\[[\w:.\s-]+\]|(?:error|err!?|warn(?:ing)?|fatal|panic|info|debug|trace|exception|caused by|npm err!?)\s?(?:\[[^\]]*\])?\s?[:!]|[\w.$]*(?:Error|Exception|Warning|Failure)\b|[A-Z]{4,} )|=>|[!=]==?|\)\s?[;{]|^(?:return|throw|if|for|while|const|let|var|assert|raise|import|expect)\b\s?[\w.]*\(|^(?:return|throw|raise) (?:new )?[\w.]+\(|^[\w.]+\(/;

/** Before these words, “never” and “always” report something or mean nothing. */
const NO_DEMAND =
  /^(?:mind|again|seen|heard|been|had|got|knew|known|did|was|were|is|are|has|works?|fails?|happens?|the same|a|an|the|that|this|good|great|nice|fun|happy|in)\b/i;
/** A verb as a report uses it: “never returns”, “always failed”. */
const REPORTED =
  /^(?!(?:pass|process|access|press|address|express|focus|bypass|discuss|guess|compress|suppress|use|embed|need|feed|seed|exceed|proceed|shed|bring|string|rely|apply|reply|supply|comply|multiply|sign)\b)[a-z]+(?:s|ed|ing)\b/i;

const DISMISSED =
  /^(?:stop$|stop there|apologi[sz]e|worry|bother|forget|hesitate|panic|mind|stress|be (?:sorry|afraid|shy)|get me wrong|give up|know|think|see|believe|remember|care|have to|need to)\b/i;
/** Refers to something in the conversation, not in the project: “don't do that”. */
const POINTING =
  /^(?:do|keep|apply|run|change|touch|use|make|try|fix|delete|merge|commit|send|show|open|move|start)\s+(?:it|this|that|these|those|them|so|anything|either)\b(?!\s+\w+\s+(?:ever|again))/i;
const HERE =
  /\b(?:here|in this (?:function|file|case|test|method|class|commit|component|instance|one)|for this (?:one|case|test|function|file))\b/i;

/** A rule about everything of a kind, or about any one of it. */
const ALL_OF_A_KIND = '(?:all|every|each|any|new)\\b[^,]{2,80}?';
/** Things without an article: statements about them may be reports, so fewer count as rules. */
const A_KIND =
  '(?!(?:the|this|that|these|those|some|many|most|both|two|three|my|our|your|his|her|its|us|yes|as|is|was|has|does|sometimes|always|perhaps|thanks|logs?|things)\\b)(?:[a-z][\\w-]* ){0,3}?[a-z][\\w-]*s';
/** Where things belong. */
const PLACED =
  '(?:(?:go|goes|pass|passes) (?:in|into|to|under|through|via|behind)\\b|lives? (?:in|next|under|beside|with)|belongs?\\b|sits? (?:in|next|under)|stays?\\b|remains?\\b|comes? (?:first|last|with|before|after))';
/** Actions on things. */
const DONE =
  '(?:is|are|gets?) (?:always |only |never )?(?:stored|written|named|wrapped|validated|logged|tested|documented|handled|kept|signed|reviewed|formatted|typed|covered|defined|declared|placed|put|prefixed|sorted|encoded|escaped|encrypted|saniti[sz]ed|translated|locali[sz]ed|versioned|approved|tagged|quoted|hashed|generated|injected|passed)\\b';
/** The predicate of such a rule, in the present tense: where things belong, what they have, what is done with them. */
const NORM = `(?:${PLACED}|gets? (?:a|an|its|their|their own|its own|no|one)\\b|carr(?:y|ies)\\b|needs?\\b|requires?\\b|(?:starts?|begins?|ends?) with|follows? |uses? |owns? |lists? |(?:has|have) (?:a|an|its|their|no|to|exactly|at (?:least|most))\\b|${DONE})`;
const OF_A_KIND = new RegExp(
  `^(?:${ALL_OF_A_KIND} (?:(?:always|only|never) )?${NORM}|${A_KIND} (?:(?:always|only|never) ${NORM}|${PLACED}|${DONE}))`,
  'i',
);
/** Reports something that has happened or is happening, and states no rule. */
const REPORT =
  /\b(?:ago|already|currently|yesterday|since|now|again|so far|last (?:week|month|year|night|time)|was|were|did|went|came|had|got|took|failed|returned|then|somewhere|when i|after i|because)\b|\b[45]\d\d\b/i;

/** A preference of the person. */
const WOULD_RATHER =
  /^(?:i|we)(?:'d| would)? (?:much |far |really |strongly |generally |usually |always )*(?:(?:rather|sooner|prefer(?: it)?(?: if| that| when)?) you\b|rather (?:see|have)\b.*\bthan\b|prefer\b(?! to\b)(?! (?:the|this|that|these|those|your|option|version)\b)|like (?:to (?:keep|have|see|use)|my|our|it when|when)\b)|^(?:i|we)(?:'d| would)? (?:much |really )*prefer to (?:have|see|keep|use)\b|^(?:my|our) (?:(?:strong|personal|general) )?(?:preference|rule|convention|policy|standard|habit) (?:here )?(?:is|for)\b/i;

/** A duty: lasting where it concerns everything of a kind, or a lasting state. */
const SEE_TO =
  /^(?:make (?:absolutely |very )?(?:sure|certain)|be (?:sure|certain)|see to it|ensure|take care|guarantee) (?:that )?.*\b(?:every|each|all|any|no|none|nothing|nobody|never|always|only|stays?|remains?|keeps?|don't|do not|doesn't|does not|isn't|is not|aren't|are not|whenever)\b/i;

/** A condition that may recur, followed by an instruction. */
const IN_CASE =
  /^(?:if|when|once|before|after|unless|until)\b(?!.*\b(?:done|finished|ready)\b)(?=[^,]*\b(?:an?|any|anything|something|new|in doubt|unsure|unclear|not sure|stuck)\b)[^,]*,\s*(?:then )?(?:please )?(.*)$/i;

const EVERY =
  /\b(?:before|after|with|on|at|in|for|to|during) (?:every|each|any|all)\b|\b(?:whenever|any ?time|every time|each time) (?:you|something|a|an|the)\b|\b(?:everywhere|throughout|each time|every time|at all times|always$)/i;

const LANGUAGES =
  'english|german|french|spanish|italian|portuguese|dutch|russian|polish|czech|turkish|chinese|mandarin|simplified chinese|traditional chinese|japanese|korean|arabic|hebrew|hindi|swedish|norwegian|danish|finnish|ukrainian|greek|vietnamese|thai';

const ANYWHERE: readonly RegExp[] = [
  /\b(?:ask|check with|consult|tell|warn|come to) me (?:first|before|prior)\b|\bask (?:first )?before\b|\bask first\b/i,
  /\bunless i (?:say|tell|ask|approve|explicitly|write|agree|allow|confirm)\b/i,
  /\bwithout (?:asking|my|telling me|my explicit|explicit|prior) ?(?:me|permission|approval|consent|agreement|ok|okay|say-so|confirmation)?\b/i,
  /^(?!.*\b(?:implement|add|write|create|build)\b)(?!(?:it|this|that|which|there|i|he|she|they|we)\b).*\b(?:must|shall) (?:not|never|always|only)\b|^(?!(?:it|this|that|which|there|i|he|she|they|we)\b).*\bmustn't\b/i,
  /\b(?:you|nobody|no one|nothing|none|the agent|agents) (?:may|must|shall|should|are|is) (?:not|never|ever)\b|^(?:nothing|nobody|no one|none of \w+|no \w+(?: \w+)?) (?:may|must|shall|should|gets?|is to|are to|can be allowed)\b/i,
  /\b(?:is|are|remains?|stays?) (?:strictly |absolutely )?(?:off[ -]limits|forbidden|prohibited|taboo|banned|not allowed|not permitted|read-only for you)\b/i,
  /^hands off\b/i,
  /^remember(?: that\b|[:,])/i,
  /^we (?:must|have to|need to|should) (?:always|never)\b/i,
  /^(?:i|we) (?:want|expect|need|require) (?:all|every|each|no)\b/i,
  /^(?:please )?stop (?:using|adding|writing|creating|importing)\b/i,
  /^i (?:don't|do not|never) (?:ever )?want (?:any|to see|you to|to find|to have)\b|^i (?:don't|do not|never) (?:ever )?want .*\b(?:ever|again)$/i,
  /\bwe (?:never|always|only)\b.*\b(?:here|in this (?:repo|repository|project|code ?base|team|company|module|package))\b|\bin (?:this|our) (?:repo|repository|project|code ?base|team|company|module|package),? we (?:never|always|only)\b/i,
  /\b(?:you|agents?) (?:are|'re) (?:not|never) (?:to|allowed|permitted|supposed|expected|meant)\b|\byou're (?:not|never) (?:to|allowed|permitted|supposed|meant)\b|^you (?:don't|do not|never) get to\b|^you (?:may|can|are allowed to) only\b|^you have no (?:right|permission|business)\b/i,
  /\b(?:is|are|'s) (?:not|never) (?:to be|ok|okay|acceptable|allowed|permitted|fine)\b|\b(?:isn't|aren't) (?:to be|ok|okay|acceptable|allowed|permitted|fine|yours)\b|\b(?:is|are) not (?:yours|for you)\b/i,
  /\bread-only for (?:you|agents?)\b|\boff[ -]limits\b/i,
  /^(?:nobody|no one|none) (?:but|except|other than)\b|^only (?:i|we|me|the [\w-]+|[\w-]+s) (?:may|can|shall|are allowed to|am allowed to|get to|merges?|pushe?s?|deploys?|decides?|releases?|publish(?:es)?)\b/i,
  /^i never want\b/i,
  /^use [^,]+, (?:not|never)\b/i,
  /^(?:all|every|each|any|new)\b(?! (?:test|run|time)s? (?:fail|pass|take))[^,]*\b(?:must|have to|has to|shall|should|need to|needs to|are to|is to|goes? (?:in|into|to|under)|belongs?|gets?|needs?|requires?)\b/i,
  /\bgo(?:es)? (?:in|into|to|under) .* only$/i,
];

const AT_START: readonly RegExp[] = [
  /^(?:avoid|refrain from|abstain from|stay (?:away from|out of|within|inside)|keep (?:away from|out of|your hands off|clear of)|stick (?:to|with)|steer clear of|adhere to|limit yourself to|restrict yourself to|confine yourself to)\b/i,
  /^prefer\b|^favou?r\b/i,
  /^keep (?!going|on\b|it up|working|trying|me\b|in mind|reading|digging|looking|up\b|calm|at it)/i,
  /^leave .*\b(?:alone|untouched|unchanged|intact|as (?:it is|they are))$/i,
  /^treat .* as\b/i,
  /^(?:follow|respect|obey|honou?r) .*\b(?:style|convention|conventions|guide|guidelines|rules?|pattern|patterns|standards?|license|editorconfig|agents\.md)\b/i,
  new RegExp(
    `^(?:answer|reply|respond|speak|talk|communicate|explain)\\b.*\\bin (?:plain |simple |british |american )?(?:${LANGUAGES})\\b`,
    'i',
  ),
  /^use .*(?:, (?:never|not) | instead of | rather than | over | everywhere\b| throughout\b| in (?:all|every|each|any)\b| for (?:all|every|each|any|everything)\b)/i,
  /^use only\b/i,
  /^(?:write|name|phrase|word|format|indent|order|sort|quote|prefix|wrap|document)\b(?!.*\b(?:this|that|these|those)\b) (?:(?:all|your|any|the commit) )?(?:[\w-]+ ){0,2}?[\w-]+s\b.* (?:in|with|as|by|like|after|first|next to)\b/i,
  /^(?:[a-z]+) (?:.* )?only\.?$/i,
];

const NO_THING =
  /^no (?!idea|problem|worries|need|luck|matter|doubt|longer|way|wonder|thanks|one\b|such\b|thank|rush|hurry|comment\.?$|dice|clue|response|answer|reply|result|output|sign|trace)(?=.*[a-z])/i;
const FINITE =
  /\b(?:ran|runs?|is|are|was|were|has|have|had|found|shown|shows?|failed|fails?|works?|worked|came|comes|appears?|appeared|exists?|left|happens?|happened|did|does|do|can|could|will|would|matches|matched|matters|needed|required|installed|changed)\b/i;

/** Pass the sentence without its quotations. */
export function isEnglishOrder(sentence: string): boolean {
  const text = sentence
    .replace(/\s+/g, ' ')
    .replace(/[’]/g, "'")
    .replace(/\bnever,? ever\b/gi, 'never')
    .replace(/[\s.!]+$/, '');
  if (QUESTION.test(text) || OF_A_MACHINE.test(text)) return false;
  const lasting = LASTING.test(text);
  const clauses = clausesOf(text);
  if (isReport(clauses[0] ?? '')) return false;
  if (BEGINS_LASTING.test(bare(text))) return true;
  if (!lasting && clauses.every((clause) => ONCE.test(clause))) return false;
  const whole = bare(text);
  if (!ONCE.test(text) || lasting) {
    if (OF_A_KIND.test(whole) && !REPORT.test(whole)) return true;
    if (WOULD_RATHER.test(whole) || SEE_TO.test(whole)) return true;
    const [, then] = IN_CASE.exec(whole) ?? [];
    if (then !== undefined && (IMPERATIVE.test(then) || demands(then, true))) return true;
  }
  if (ANYWHERE.some((pattern) => pattern.test(bare(text))))
    return !text.startsWith('“”') && (lasting || !ONCE.test(text));
  const recurring = lasting || EVERY.test(text);
  return clauses.some((clause) => (lasting || !ONCE.test(clause)) && demands(clause, recurring));
}

/** Tests the beginning of one clause. `recurring`: the sentence says that it applies each time. */
function demands(clause: string, recurring: boolean): boolean {
  const opened = clause.replace(OPENING, '');
  const unled = opened.replace(TOLD, '');
  const rest = unled.replace(OPENING, '');
  const adverb = /^(?:never|always|ever)(?: ever)?\s+(.*)$/i.exec(rest);
  if (adverb) {
    const verb = adverb[1] ?? '';
    return !NO_DEMAND.test(verb) && !REPORTED.test(verb) && /^[a-z]/i.test(verb);
  }
  const negated = /^(?:do not|don't|dont|do never|not to|not)\s+(?:ever\s+|you (?:dare|ever)\s+)?(.*)$/i.exec(rest);
  if (negated) {
    const what = negated[1] ?? '';
    return (!DISMISSED.test(what) || (recurring && /^forget/i.test(what))) && !POINTING.test(what) && !HERE.test(what);
  }
  if (unled !== opened && /^not\b/i.test(rest)) return true;
  if (/^only (?!.*\bthen\b)/i.test(rest)) return IMPERATIVE.test(rest.replace(/^only (?:ever )?/i, ''));
  if (NO_THING.test(rest)) return isForbidden(rest);
  if (HERE.test(rest) && !recurring) return false;
  if (/^[a-z]+ (?:.* )?only$/i.test(rest) && !IMPERATIVE.test(rest)) return false;
  if (AT_START.some((pattern) => pattern.test(rest))) return true;
  return recurring && IMPERATIVE.test(rest);
}

/** “No X”, without a verb, with a place, an audience or a kind. */
function isForbidden(rest: string): boolean {
  if (FINITE.test(rest)) return false;
  return /^no (?:\S+ ){0,3}?\S+(?: (?:in|for|without|outside|to|on|from|anywhere|at all|ever|please|whatsoever)\b|,|$)/i.test(
    rest,
  );
}

/** True when somebody reports an event: everything after a comma is then reported too. */
function isReport(first: string): boolean {
  return /^(?:he|she|they|someone|somebody|the (?:docs?|readme|log|comment|error|linter|message|manual))\b|^(?:it|this|that|i|the [\w-]+|my [\w-]+)(?: [\w-]+)? (?:says?|said|complains?|complained|claims?|claimed|reports?|reported|tells?|told|throws?|threw|prints?|printed|get|got|read)\b/i.test(
    first,
  );
}

function bare(text: string): string {
  return text.replace(OPENING, '');
}

function clausesOf(text: string): string[] {
  return text
    .split(/\s*[,;:–—]\s+|\s+(?=(?:and|but) (?:please )?(?:never|always|do not|don't|only|avoid|keep)\b)|\s+-\s+/i)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
}
