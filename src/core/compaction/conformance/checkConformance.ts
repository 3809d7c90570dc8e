/**
 * The conformance kit: runs any strategy over generated and recorded histories, in chains of compactions, and says which
 * rule it breaks. It uses the compactor's own host, reader and rules, so what passes here is accepted there.
 */

import type { Message } from '../../context/message.ts';
import { seededRandom } from '../../seededRandom.ts';
import { inEnglish } from '../../words.ts';
import type { AnyFactory } from '../run/strategyEntry.ts';
import { BOUNDARIES, type Boundary, situationOf } from './boundaries.ts';
import { findOffending, stackOf } from './evidence.ts';
import { generateHistory } from './generateHistory.ts';
import { growRecorded } from './growRecorded.ts';
import { KitModel } from './kitModel.ts';
import { checkFactory, checkOptions, type KitOptions } from './kitOptions.ts';
import type { BrokenRule, ConformanceReport, Place, Remark } from './report.ts';
import { type BrokenCall, Session, type SessionPorts } from './session.ts';

/** What the kit needs of the machine. */
export type Machine = Pick<SessionPorts, 'timers' | 'now'>;

const CHAIN = 5;
/** Index in a chain: before it the previous compaction is undone. */
const UNDONE_BEFORE = 3;
/** Turns of the histories that are of a size of their own, by their place among so many. */
const TURNS = { every: 60, at: { 3: 0, 7: 150 } as Readonly<Record<number, number>> };

/** Nothing in it may go. */
const ONLY_A_QUESTION: readonly Message[] = [{ role: 'user', kind: 'user', text: 'Why does the retry test fail?' }];

interface Case {
  readonly name: string;
  /** Its place among all cases: what its compactions meet depends on it. */
  readonly at: number;
  readonly messages: readonly Message[];
  /** What is added after each compaction. */
  readonly more: readonly (readonly Message[])[];
}

/** `factory` as it would be registered. Throws for wrong options, never for what the strategy does. */
export async function checkConformance(
  factory: AnyFactory,
  options: KitOptions,
  machine: Machine,
): Promise<ConformanceReport> {
  checkOptions(options);
  checkFactory(factory);
  const { seed = 1, settings = {}, answer, deadlineMs = 10_000 } = options;
  const model = new KitModel(answer);
  const met = Object.fromEntries(BOUNDARIES.map((name) => [name, 0])) as Record<Boundary, number>;
  const time = { total: 0, longest: 0 };
  const ports: SessionPorts = {
    ...machine,
    deadlineMs,
    settings,
    model,
    met: (boundary) => {
      met[boundary]++;
    },
    took: (ms) => {
      time.total += ms;
      time.longest = Math.max(time.longest, ms);
    },
  };
  const tally = { compactions: 0, unchanged: 0, overTarget: 0, before: 0, after: 0 };
  const notSmaller: Remark[] = [];
  const repaired: Remark[] = [];
  const broken: BrokenRule[] = [];
  const report = () => {
    const { before, after, ...figures } = tally;
    const left = before > 0 ? after / before : 1;
    const { calls: modelCalls, promptTokens } = model;
    return { ...figures, notSmaller, repaired, left, modelCalls, promptTokens, time, met, broken };
  };
  const trial = new Session(factory, [], ports);
  const unmade = trial.create();
  trial.dispose();
  if (unmade) {
    broken.push(toBrokenRule(unmade, { where: 'create', alone: { seed } }));
    return report();
  }
  for (const { name, at, messages, more } of casesOf(options)) {
    const session = new Session(factory, messages, ports);
    const random = seededRandom(seed + at);
    for (let i = 0; i < CHAIN; i++) {
      const place = (attempt = 1): Place => ({
        where: `${name}, compaction ${i + 1}${attempt > 1 ? `, attempt ${attempt}` : ''}`,
        alone: { seed, only: name },
      });
      const remark = (why: string): Remark => ({ ...place(), why });
      if (i === UNDONE_BEFORE) session.undo();
      const situation = situationOf(at * CHAIN + i);
      session.hide(situation.hides, random);
      session.pin(situation.pins, random);
      const made = await session.compact(situation);
      switch (made.kind) {
        case 'compacted':
          tally.compactions++;
          tally.before += made.before;
          tally.after += made.after;
          if (made.overTarget) tally.overTarget++;
          repaired.push(...made.repairs.map((repair) => remark(inEnglish(repair))));
          break;
        case 'broken':
          broken.push(toBrokenRule(made, place(made.attempt)));
          break;
        case 'unchanged':
          tally.unchanged++;
          break;
        case 'notSmaller':
          notSmaller.push(remark(made.why));
      }
      session.add(more[i] ?? []);
    }
    session.dispose();
  }
  const [first] = notSmaller;
  if (tally.compactions === 0 && first)
    broken.push({ ...first, rule: `no result of it is smaller: ${first.why}`, messages: [] });
  return report();
}

/** The cases that the options ask for; each is the same whether it runs alone or among others. */
function* casesOf({ cases = 200, seed = 1, histories = [], only }: KitOptions): Generator<Case> {
  const isAsked = (name: string) => only === undefined || only === name;
  const last = only?.startsWith('generated ') ? Math.max(cases, Number(only.split(' ')[1]) + 1) : cases;
  for (let i = 0; i < last; i++) {
    const name = `generated ${i}`;
    if (!isAsked(name)) continue;
    const random = seededRandom(seed * 1_000_003 + i);
    const turns = TURNS.at[i % TURNS.every] ?? 1 + Math.floor(random() * 6);
    const messages = turns > 0 ? generateHistory(random, turns, `c${i}`) : ONLY_A_QUESTION;
    const more = Array.from({ length: CHAIN }, (_, n) => generateHistory(random, 1, `c${i}.${n}`));
    yield { name, at: i, messages, more };
  }
  for (const [i, recorded] of histories.entries()) {
    const name = `recorded ${i}`;
    if (isAsked(name)) yield { name, at: i, ...growRecorded(recorded, CHAIN) };
  }
}

function toBrokenRule({ rule, seen, threw }: BrokenCall, place: Place): BrokenRule {
  return {
    ...place,
    rule: inEnglish(rule),
    messages: findOffending(rule, seen),
    ...(threw ? { stack: stackOf(threw.thrown) } : {}),
  };
}
