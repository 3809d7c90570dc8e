/**
 * Weighs what the words of a sentence say for and against a standing order. The weights are the same in all languages: one
 * clear demand, or two hints, make an order; a sign that the person speaks of this moment or tells what is takes it away.
 */

import { CASING, EVERY_THING, FORM, FRESH, OF_INTERFACE, PER_UNIT, PLACE, SCREEN, UNCLEAR } from './commonSigns.ts';
import { type Cues, fold, type OrderLanguage } from './languages/language.ts';

export type Cue = keyof Cues;

const WEIGHTS: Readonly<Record<Cue, number>> = {
  // It names its duration, or a right of the person: hardly ever said for once.
  lasting: 4,
  permission: 4,
  always: 2,
  forbids: 2,
  nothing: 2,
  instead: 2,
  each: 2,
  manner: 2,
  speech: 2,
  remember: 2,
  // Hints: with another they make a rule, alone they may be part of a task or a report.
  norm: 1,
  only: 1,
  all: 1,
  topic: 1,
  tongue: 1,
  once: -3,
  pointing: -2,
  telling: -3,
  reported: -6,
  question: -9,
  dismissed: -6,
  permits: -6,
  builds: -4,
};
/** A language's own grammar is as sure as a clear demand and a hint, and knows what a report is. */
const GRAMMAR = 3;
const REQUIREMENT = -4;
/** Only the person's own demands on the work say so. */
const OF_WORK: readonly Cue[] = ['lasting', 'permission', 'tongue'];
const AGAINST_GRAMMAR: readonly Cue[] = ['pointing', 'dismissed'];

/** These speak of the whole sentence, the others of their clause. */
const OF_SENTENCE: readonly Cue[] = ['question', 'reported', 'permits'];

/** Between clauses; a subordinate clause stays with what it belongs to. */
const CLAUSES =
  /(?:\s*[,;:،؛–—]\s+|\s+-\s+|[,;:](?=[^ -~])|[，、；：]\s*)(?!(?:that|which|who|dass|der|die|das|ob|que|qui|che|что|чтобы|котор\p{L}*|щоб|що|який|яка|ktor\p{L}*|ze|zeby|aby|ktery|ktera|dat|die|som|att|yang|bahwa)(?!\p{L})|确保|保证)/u;

/** The cues of a clause, in no order. */
export function cuesIn(clause: string, language: Cues): readonly Cue[] {
  const found = FOR.filter((cue) => language[cue].test(clause));
  return [...found, ...AGAINST.filter((cue) => language[cue].test(clause))];
}

const CLEAR: readonly Cue[] = ['lasting', 'permission', 'always', 'forbids', 'nothing', 'remember'];

const CUES = Object.keys(WEIGHTS) as readonly Cue[];
const FOR = CUES.filter((cue) => WEIGHTS[cue] > 0);
const AGAINST = CUES.filter((cue) => WEIGHTS[cue] < 0);

/** The weight of the clause that weighs most. Pass the sentence without its quotations. */
export function weighOrder(sentence: string, language: OrderLanguage): number {
  const spelled = language.spelling?.(sentence) ?? sentence;
  const whole = unled(trim(fold(spelled)), language);
  const clauses = whole.split(CLAUSES).map((clause) => unled(clause, language));
  const inWhole = cuesIn(whole, language);
  const inClauses = clauses.length > 1 ? clauses.map((clause) => cuesIn(clause, language)) : [];
  const weights = [
    weighClause(whole, inWhole),
    ...clauses.slice(0, inClauses.length).map((clause, nth) => weighClause(clause, inClauses[nth] ?? [])),
  ];
  // A sentence that begins with a word of this moment speaks of it as a whole.
  const isForOnce =
    (inClauses[0]?.includes('once') && !inClauses[0].includes('telling') && (weights[1] ?? 0) < 0) ?? false;
  const byWords = Math.max(...weights) + (isForOnce ? WEIGHTS.once : 0);
  const byGrammar = language.grammar?.(spelled)
    ? (SCREEN.test(whole) && inWhole.includes('all') ? 1 : GRAMMAR) +
      sumOf(inWhole.filter((cue) => AGAINST_GRAMMAR.includes(cue)))
    : byWords;
  // A sentence that says where the code of it goes, how it is named, or until when, is about the work.
  const isRequirement =
    OF_INTERFACE.test(whole) &&
    !PLACE.test(whole) &&
    !CASING.test(whole) &&
    !OF_WORK.some((cue) => inWhole.includes(cue));
  const ofSentence = sumOf(inWhole.filter((cue) => OF_SENTENCE.includes(cue)));
  return Math.max(byWords, byGrammar) + ofSentence + (isRequirement ? REQUIREMENT : 0);
}

function weighClause(clause: string, found: readonly Cue[]): number {
  const isLasting = found.includes('lasting');
  // A demand that holds from now on may well name this moment.
  const isEach = found.includes('each');
  const isUnclear = UNCLEAR.test(clause);
  const cues = found.filter(
    (cue) =>
      !OF_SENTENCE.includes(cue) &&
      !(isLasting && cue === 'once') &&
      !(isEach && cue === 'all') &&
      !(isUnclear && cue === 'telling'),
  );
  const isNew = FRESH.test(clause);
  // A place says where something belongs if words say that it belongs, or that it is new.
  const isPlaced = (isNew || cues.includes('norm') || cues.includes('only')) && PLACE.test(clause);
  const hints = [isPlaced, isNew, cues.includes('topic') && CASING.test(clause), EVERY_THING.test(clause)].filter(
    Boolean,
  ).length;
  // Only a clear demand makes a rule of what is on the screen.
  const isShown = !CLEAR.some((cue) => cues.includes(cue)) && SCREEN.test(clause);
  const clear = [FORM.test(clause), isUnclear, PER_UNIT.test(clause)].filter(Boolean).length;
  return sumOf(cues) + hints + 2 * clear - (isShown ? 2 : 0);
}

const sumOf = (cues: readonly Cue[]) => cues.reduce((sum, cue) => sum + WEIGHTS[cue], 0);

const trim = (text: string) => text.replace(/\s+/g, ' ').replace(/^[\s("]+|[\s.!。)"…]+$/g, '');

function unled(clause: string, { lead }: OrderLanguage): string {
  let rest = clause.trim();
  for (let nth = 0; nth < 4; nth++) {
    const next = rest.replace(lead, '').replace(/^[\s,:;.!،、-]+/, '');
    if (next === '' || next === rest) break;
    rest = next;
  }
  return rest;
}
