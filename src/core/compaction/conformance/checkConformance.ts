/**
 * The conformance kit: runs any strategy over generated and recorded histories, in chains of compactions, and reports
 * which rule it breaks. It uses the compactor's own host, reader and rules, so a strategy that passes here is accepted
 * there.
 */

import type { BrokenRule, ConformanceReport, Place, Remark } from '../../../api/conformance.ts';
import type { Message } from '../../context/message.ts';
import { messageOf } from '../../errors.ts';
import { seededRandom } from '../../seededRandom.ts';
import { inEnglish } from '../../words.ts';
import type { AnyFactory } from '../strategies/strategyEntry.ts';
import { type Situation, situationOf } from './boundaries.ts';
import { type Case, CHAIN, casesOf } from './cases.ts';
import { Check, type Machine } from './check.ts';
import { generateHistory, markTexts } from './generateHistory.ts';
import { markOf } from './guideRules.ts';
import { watchHoldings } from './holdings.ts';
import { checkFactory, checkOptions, type KitOptions } from './kitOptions.ts';
import { READINGS } from './readings.ts';
import { findOffending, stackOf } from './report.ts';
import { rule } from './rule.ts';
import { type BrokenCall, type Compaction, Session } from './session.ts';
import { type Strays, watchStrays } from './strays.ts';
import { callerOf } from './watch.ts';

/** Index in a chain: before it the previous compaction is undone. */
const UNDONE_BEFORE = 3;
/** Before it some sessions are reloaded, and others go on with the new instance of another branch. */
const RELOADED_BEFORE = 2;
const REVERTED_BEFORE = 4;

/** Which cases do so, by their position in a cycle. */
const CYCLE = 4;
const RELOADED = 1;
const REVERTED = 2;
const BRANCHED = 3;

const FIRST_TURNS = 3;

/** Time for sockets, processes and the like to end after they were told to. */
const CLOSING_MS = 5_000;
const POLL_MS = 10;

/** Numbers of the sessions that the kit runs beside its cases, above those of all cases. */
const BESIDE = 90_000;

/** From so many tokens on that may go, a result that is not smaller is hardly a summary of next to nothing. */
const MANY_TOKENS = 2_000;
/** The smallest share of results for such histories that must be smaller, and from how many results on. */
const FLOOR = { share: 0.5, from: 4 };

/** `factory` is passed as it would be registered. Throws for invalid options, never because of the strategy. */
export async function checkConformance(
  factory: AnyFactory,
  options: KitOptions,
  machine: Machine,
): Promise<ConformanceReport> {
  checkOptions(options);
  checkFactory(factory);
  const strays = watchStrays();
  const holdings = watchHoldings();
  const { after } = machine.timers;
  const timers = { after: (ms: number, callback: () => void) => holdings.apart(() => after(ms, callback)) };
  try {
    return await new Run(factory, options, new Check(options, { ...machine, timers }, holdings), strays).check();
  } finally {
    holdings.dispose();
    strays.dispose();
  }
}

class Run {
  readonly #factory: AnyFactory;
  readonly #options: KitOptions;
  readonly #check: Check;
  readonly #strays: Strays;
  readonly #tally = { compactions: 0, unchanged: 0, overTarget: 0, before: 0, after: 0 };
  /** Results for histories of which much may go. */
  readonly #large = { smaller: 0, all: 0 };
  readonly #notSmaller: Remark[] = [];
  readonly #repaired: Remark[] = [];
  readonly #broken: BrokenRule[] = [];
  /** The result of the first session of all. */
  #atFirst = '';
  /** It did not answer in time: nothing more is asked, because each call would take as long. */
  #hangs = false;

  constructor(factory: AnyFactory, options: KitOptions, check: Check, strays: Strays) {
    this.#factory = factory;
    this.#options = options;
    this.#check = check;
    this.#strays = strays;
  }

  async check(): Promise<ConformanceReport> {
    const { only, seed = 1 } = this.#options;
    if (!(await this.#create())) return this.#report();
    await this.#checkReadings();
    await this.#runBeside();
    for (const each of casesOf(this.#options)) {
      if (this.#hangs) break;
      await this.#runCase(each);
    }
    if (only === undefined && !this.#hangs) {
      await this.#runTogether();
      await this.#checkVariables();
      await this.#checkModule();
    }
    await this.#takeStrays({ where: 'after the last call', alone: { seed } }, 3);
    if (!this.#hangs) {
      await this.#checkHeld();
      this.#checkContinued();
      this.#checkFloor();
    }
    return this.#report();
  }

  #report(): ConformanceReport {
    const { before, after, ...figures } = this.#tally;
    const { model, time, met } = this.#check;
    return {
      ...figures,
      notSmaller: this.#notSmaller,
      repaired: this.#repaired,
      left: before > 0 ? after / before : 1,
      modelCalls: model.calls,
      promptTokens: model.promptTokens,
      time,
      met,
      broken: this.#broken,
    };
  }

  #place(where: string): Place {
    return { where, alone: { seed: this.#options.seed ?? 1 } };
  }

  #note(made: Compaction | null, place: Place): void {
    if (made?.kind !== 'broken') return;
    this.#broken.push(toBrokenRule(made, place));
    if (made.late) this.#hangs = true;
  }

  /** False when it cannot be created. */
  async #create(): Promise<boolean> {
    const place = this.#place('create');
    const session = new Session(this.#factory, { messages: [], number: BESIDE }, this.#check);
    const unmade = session.create();
    this.#note(unmade, place);
    const undisposed = await session.dispose();
    if (unmade) return false;
    this.#note(undisposed, this.#place('dispose'));
    await this.#takeStrays(place);
    return true;
  }

  /** Asks whether it is time, at every moment and with every figure that may be missing. */
  async #checkReadings(): Promise<void> {
    const session = new Session(this.#factory, { messages: [], number: BESIDE }, this.#check);
    for (const reading of READINGS) {
      const broken = session.consult(reading);
      if (!broken) continue;
      this.#note(broken, this.#place('shouldCompact'));
      break;
    }
    await session.dispose();
    await this.#takeStrays(this.#place('shouldCompact'));
  }

  /** A session before all others, so that a case alone can show what is left of another. Only its silence counts. */
  async #runBeside(): Promise<void> {
    const number = BESIDE + 1;
    const session = this.#generated(number, FIRST_TURNS);
    for (let i = 0; i < 2 && !this.#hangs; i++) {
      const made = await session.compact(PLAIN);
      if (i === 0) this.#atFirst = session.firstMade;
      if (made.kind === 'broken' && made.late) this.#note(made, this.#place('the first session'));
      session.add(this.#turns(number, i + 1));
    }
    await session.dispose();
    await this.#takeStrays(this.#place('the first session'));
  }

  async #runCase({ name, at, number, messages, more }: Case): Promise<void> {
    const { seed = 1 } = this.#options;
    const session = new Session(this.#factory, { messages, number }, this.#check);
    const random = seededRandom(seed + at);
    let head = session.head;
    for (let i = 0; i < CHAIN && !this.#hangs; i++) {
      const place = (attempt = 1): Place => ({
        where: `${name}, compaction ${i + 1}${attempt > 1 ? `, attempt ${attempt}` : ''}`,
        alone: { seed, only: name },
      });
      const remark = (why: string): Remark => ({ ...place(), why });
      const moves = at % CYCLE;
      if (i === RELOADED_BEFORE && moves === RELOADED) this.#note(await session.reload(), place());
      // Where the newest one is undone, the strategy sees what it saw last; with the one before, what it dropped.
      for (let n = 0; i === UNDONE_BEFORE && n <= at % 2; n++) session.undo();
      if (i === REVERTED_BEFORE && moves === REVERTED) session.revert(head);
      if (i === REVERTED_BEFORE && moves === BRANCHED)
        session.revert(head, `What another branch did. ${markOf(number)}`);
      const situation = situationOf(at * CHAIN + i);
      session.hide(situation, random);
      session.pin(situation.pins, random);
      const made = await session.compact(situation);
      switch (made.kind) {
        case 'compacted':
          this.#tally.compactions++;
          this.#tally.before += made.before;
          this.#tally.after += made.after;
          if (made.overTarget) this.#tally.overTarget++;
          this.#repaired.push(...made.repairs.map((repair) => remark(inEnglish(repair))));
          this.#weigh(made.loose, true);
          break;
        case 'broken':
          this.#note(made, place(made.attempt));
          break;
        case 'unchanged':
          this.#tally.unchanged++;
          break;
        case 'notSmaller':
          this.#notSmaller.push(remark(made.why));
          this.#weigh(made.loose, false);
      }
      if (i === 1) head = session.head;
      session.add(more[i] ?? []);
    }
    this.#note(await session.dispose(), { where: `${name}, dispose`, alone: { seed, only: name } });
    await this.#takeStrays({ where: name, alone: { seed, only: name } });
  }

  /** Two sessions that compact at the same time. */
  async #runTogether(): Promise<void> {
    const sessions = [2, 3].map((n) => this.#generated(BESIDE + n, 4));
    for (const session of sessions) session.together = true;
    const made = await Promise.all(sessions.map((session) => session.compact(PLAIN)));
    for (const each of made) this.#note(each, this.#place('two sessions at the same time'));
    for (const session of sessions) await session.dispose();
  }

  /**
   * Compares what an instance makes of a history after earlier calls with what new instances make of it. Where the new
   * ones differ among each other the strategy is not exact, and nothing is said.
   */
  async #checkVariables(): Promise<void> {
    for (let n = 4; n < 7 && !this.#hangs; n++) {
      const session = this.#generated(BESIDE + n, 5);
      for (let i = 0; i < 3; i++) {
        const made = await session.compact(PLAIN);
        if (made.kind === 'broken' && made.late) this.#note(made, this.#place('a session'));
        if (this.#hangs) return;
        session.add(this.#turns(BESIDE + n, i + 1));
        if (i === 1) session.undo();
      }
      const first = await session.probe(PLAIN, true);
      const used = [await session.probe(PLAIN, false), await session.probe(PLAIN, false)];
      const differs = used.some((each) => each !== first);
      const remembers = differs && (await isExact(first, () => session.probe(PLAIN, true)));
      const elsewhere = (nth: number) => session.probe(PLAIN, true, unseenId(n * 100 + nth));
      const strange = await elsewhere(0);
      const byId =
        !remembers && [first, ...used].some((each) => each !== strange) && (await isExact(strange, elsewhere));
      await session.dispose();
      if (!remembers && !byId) continue;
      this.#broken.push({
        ...this.#place(remembers ? 'a session against a new instance' : 'a session against one of another id'),
        rule: inEnglish(remembers ? REMEMBERS : REMEMBERS_BY_ID),
        messages: [],
      });
      return;
    }
  }

  /** Compares what the first session of all got with what the same one gets after many others. */
  async #checkModule(): Promise<void> {
    if (this.#hangs || this.#broken.length > 0) return;
    const session = this.#generated(BESIDE + 1, FIRST_TURNS);
    const again = (nth: number) => session.probe(PLAIN, true, unseenId(nth));
    const last = await again(0);
    const differs = last !== this.#atFirst && (await isExact(last, again));
    await session.dispose();
    if (!differs) return;
    const place = this.#place('the first session of all against a later one');
    this.#broken.push({ ...place, rule: inEnglish(LEAVES), messages: [] });
  }

  /** Errors that came up beside the calls since the last time. They arrive in later turns. */
  async #takeStrays(place: Place, turns = 1): Promise<void> {
    for (let i = 0; i < turns; i++)
      await new Promise<void>((resolve) => void this.#check.machine.timers.after(0, resolve));
    const seen = new Set<string>();
    for (const thrown of this.#strays.take()) {
      const text = messageOf(thrown).slice(0, 300);
      if (seen.has(text)) continue;
      seen.add(text);
      const caller = callerOf(thrown);
      this.#broken.push({
        ...place,
        rule: `an error that nobody caught: ${text}. Await what may fail, or catch its error`,
        messages: [],
        stack: stackOf(caller ? new Error(text, { cause: caller }) : thrown),
      });
    }
  }

  /** All instances were disposed of. What ends by itself after that gets its time; a timer does not. */
  async #checkHeld(): Promise<void> {
    const { machine, holdings, deadlineMs, made } = this.#check;
    const until = machine.now() + Math.min(deadlineMs, CLOSING_MS);
    let left = holdings.left();
    while (left.some(({ kind }) => kind !== 'timer') && machine.now() < until) {
      await new Promise<void>((resolve) => void machine.timers.after(POLL_MS, resolve));
      left = holdings.left();
    }
    const [first] = left;
    if (!first) return;
    const kinds = [...new Set(left.map(({ kind }) => kind))];
    const counted = kinds.map((kind) => `${kind} (${left.filter((each) => each.kind === kind).length})`).join(', ');
    const fault = `${counted} left after all its ${made} instances were disposed of: end what it opens in dispose`;
    const { stack } = first;
    this.#broken.push({ ...this.#place('dispose'), rule: `it runs on: ${fault}`, messages: [], stack });
  }

  /** A strategy may ask and be told that this one cannot be continued; one that is told so every time never continues. */
  #checkContinued(): void {
    const { all, unfit } = this.#check.continued;
    const [first] = unfit;
    if (!first || unfit.length <= all / 2) return;
    const rule = `${inEnglish(first)} (${unfit.length} of ${all} questions)`;
    this.#broken.push({ ...this.#place('llm.continue'), rule, messages: [] });
  }

  #weigh(loose: number, isSmaller: boolean): void {
    if (loose < MANY_TOKENS) return;
    this.#large.all++;
    if (isSmaller) this.#large.smaller++;
  }

  /** A summary of next to nothing may be longer than it; one of much may not. */
  #checkFloor(): void {
    const [first] = this.#notSmaller;
    const { smaller, all } = this.#large;
    if (!first) return;
    if (this.#tally.compactions === 0) {
      this.#broken.push({ ...first, rule: `no result of it is smaller: ${first.why}`, messages: [] });
    } else if (all >= FLOOR.from && smaller < FLOOR.share * all) {
      const fault = `only ${smaller} of its ${all} results are smaller where ${MANY_TOKENS} tokens and more may go, for example`;
      this.#broken.push({ ...first, rule: `${fault}: ${first.why}`, messages: [] });
    }
  }

  #generated(number: number, turns: number): Session {
    const { seed = 1 } = this.#options;
    const messages = generateHistory(seededRandom(seed * 1_000_003 + number), turns, `s${number}`);
    return new Session(this.#factory, { messages: markTexts(messages, markOf(number)), number }, this.#check);
  }

  #turns(number: number, n: number): Message[] {
    const { seed = 1 } = this.#options;
    return markTexts(generateHistory(seededRandom(seed + number * 31 + n), 2, `s${number}.${n}`), markOf(number));
  }
}

/** New instances that must agree before an older one is blamed: as many as a strategy that throws a coin never has agree. */
const PROBES = 40;

const REMEMBERS = rule(
  'its result depends on what an earlier call left in a variable, because a new instance makes another of the same history: keep it in details, or work it out again',
);

const REMEMBERS_BY_ID = rule(
  'its result depends on what an earlier call left in its module under the session id, because the same history makes another in a new session: an undo and a reload make that wrong. Keep it in details, or work it out again',
);

const LEAVES = rule(
  'its result depends on whether other sessions came before, because a later one makes another of the same history: what they left in the module, on disk or elsewhere must not change it',
);

/** Of no session of the kit, and as long as those of sessions beside its cases. */
const unseenId = (nth: number): string => `kit-session-${BESIDE - 10_000 + nth}`;

/** False where new ones differ among each other: the strategy is not exact, and nothing is said of it. */
async function isExact(expected: string, probe: (nth: number) => Promise<string>): Promise<boolean> {
  for (let nth = 1; nth <= PROBES; nth++) if ((await probe(nth)) !== expected) return false;
  return true;
}

/** A compaction without anything special. */
const PLAIN: Situation = {
  trigger: 'manual',
  window: 200_000,
  reserve: 0,
  protectedTools: [],
  target: 'half',
  model: 'answers',
  continues: 'absent',
  stubs: {},
  pins: 0,
  hides: 0,
};

function toBrokenRule({ rule, seen, threw }: BrokenCall, place: Place): BrokenRule {
  return {
    ...place,
    rule: inEnglish(rule),
    messages: findOffending(rule, seen),
    ...(threw ? { stack: stackOf(threw.thrown) } : {}),
  };
}
