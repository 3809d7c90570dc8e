/**
 * The conformance kit: runs any strategy over generated and recorded histories, in chains of compactions, and reports
 * which rule it breaks. It uses the compactor's own host, reader and rules, so a strategy that passes here is accepted
 * there.
 */

import type { Message } from '../../context/message.ts';
import type { Timers } from '../../ports.ts';
import { seededRandom } from '../../seededRandom.ts';
import { inEnglish } from '../../words.ts';
import type { AnyFactory } from '../run/strategyEntry.ts';
import { BOUNDARIES, type Boundary, situationOf } from './boundaries.ts';
import { generateHistory, growRecorded } from './generateHistory.ts';
import { KitModel } from './kitModel.ts';
import { type BrokenRule, type ConformanceReport, findOffending, type Place, type Remark, stackOf } from './report.ts';
import { type BrokenCall, Session } from './session.ts';

/** Services that the kit needs from its host. */
export interface Machine {
  readonly timers: Timers;
  /** In milliseconds from any fixed moment. */
  readonly now: () => number;
}

/** State shared by all sessions of one check. */
export class Check {
  readonly machine: Machine;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly deadlineMs: number;
  readonly model: KitModel;
  /** How often each boundary was met. */
  readonly met = Object.fromEntries(BOUNDARIES.map((name) => [name, 0])) as Record<Boundary, number>;
  /** Milliseconds spent in the strategy's calls. */
  readonly time = { total: 0, longest: 0 };

  constructor({ settings = {}, answer, deadlineMs = 10_000 }: KitOptions, machine: Machine) {
    this.machine = machine;
    this.settings = settings;
    this.deadlineMs = deadlineMs;
    this.model = new KitModel(answer);
  }

  /** Records the duration of a call, in milliseconds. */
  took(ms: number): void {
    this.time.total += ms;
    this.time.longest = Math.max(this.time.longest, ms);
  }
}

const CHAIN = 5;

/** Index in a chain: before it the previous compaction is undone. */
const UNDONE_BEFORE = 3;

/** Numbers of turns of histories with a special size, by their position in a cycle. */
const TURNS = { every: 60, at: { 3: 0, 7: 150 } as Readonly<Record<number, number>> };

/** Nothing in it may be removed. */
const ONLY_A_QUESTION: readonly Message[] = [{ role: 'user', kind: 'user', text: 'Why does the retry test fail?' }];

interface Case {
  readonly name: string;
  /** Its index among all cases, which determines the situations of its compactions. */
  readonly at: number;
  readonly messages: readonly Message[];
  /** The messages added after each compaction. */
  readonly more: readonly (readonly Message[])[];
}

/** `factory` is passed as it would be registered. Throws for invalid options, never because of the strategy. */
export async function checkConformance(
  factory: AnyFactory,
  options: KitOptions,
  machine: Machine,
): Promise<ConformanceReport> {
  checkOptions(options);
  checkFactory(factory);
  const { seed = 1 } = options;
  const check = new Check(options, machine);
  const tally = { compactions: 0, unchanged: 0, overTarget: 0, before: 0, after: 0 };
  const notSmaller: Remark[] = [];
  const repaired: Remark[] = [];
  const broken: BrokenRule[] = [];
  const report = () => {
    const { before, after, ...figures } = tally;
    const left = before > 0 ? after / before : 1;
    const { model, time, met } = check;
    const { calls: modelCalls, promptTokens } = model;
    return { ...figures, notSmaller, repaired, left, modelCalls, promptTokens, time, met, broken };
  };
  const trial = new Session(factory, [], check);
  const unmade = trial.create();
  trial.dispose();
  if (unmade) {
    broken.push(toBrokenRule(unmade, { where: 'create', alone: { seed } }));
    return report();
  }
  for (const { name, at, messages, more } of casesOf(options)) {
    const session = new Session(factory, messages, check);
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

/** The cases that the options request; each is the same whether it runs alone or among others. */
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

/**
 * The options of the conformance kit, validated before anything runs: an invalid option must not look like a passed
 * check.
 */
export interface KitOptions {
  /** Number of generated histories; each is compacted five times. Default: 200. */
  readonly cases?: number;
  /** The same seed yields the same histories. Default: 1. */
  readonly seed?: number;
  /** The only case to run, as a broken rule names it: `generated 57` or `recorded 0`. */
  readonly only?: string;
  /** Recorded conversations to run in addition. */
  readonly histories?: readonly (readonly Message[])[];
  /** Values of the strategy's own settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The summary model's answer, where it succeeds. */
  readonly answer?: string;
  /** Milliseconds that one call may take. Default: 10,000. */
  readonly deadlineMs?: number;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

interface OptionRule {
  readonly is: (value: unknown) => boolean;
  readonly wanted: string;
}

const CHECKS: { readonly [K in keyof Required<KitOptions>]: OptionRule } = {
  cases: { is: isCount, wanted: 'a whole number, 0 or more' },
  seed: { is: isCount, wanted: 'a whole number, 0 or more' },
  only: {
    is: (value) => typeof value === 'string' && CASE.test(value),
    wanted: "the name of a case, such as 'generated 57' or 'recorded 0'",
  },
  histories: {
    is: (value) => Array.isArray(value) && value.every(isHistory),
    wanted: 'a list of histories, each a list of messages as readRecorded returns them',
  },
  settings: {
    is: (value) => isObject(value) && !Array.isArray(value),
    wanted: 'an object of settings and their values',
  },
  answer: { is: (value) => typeof value === 'string' && value.trim() !== '', wanted: 'a text that is not blank' },
  deadlineMs: { is: (value) => Number.isFinite(value) && (value as number) > 0, wanted: 'milliseconds, more than 0' },
};

const CASE = /^(generated|recorded) (\d+)$/;

/** Throws `TypeError` naming the option, its value, and the allowed values. */
function checkOptions(given: KitOptions): void {
  if (!isObject(given)) throw new TypeError(`The options of the kit are ${show(given)}, not an object.`);
  for (const [name, value] of Object.entries(given)) {
    const check = CHECKS[name as keyof KitOptions];
    if (!check || !Object.hasOwn(CHECKS, name)) {
      const meant = nearest(name);
      const instead = meant ? `did you mean ${meant}?` : `it has ${Object.keys(CHECKS).join(', ')}.`;
      throw new TypeError(`The kit has no option ${name}: ${instead}`);
    }
    if (value !== undefined && !check.is(value))
      throw new TypeError(`The option ${name} is ${show(value)}. It must be ${check.wanted}.`);
  }
  const [, kind, number] = CASE.exec(given.only ?? '') ?? [];
  const { histories = [] } = given;
  if (kind === 'recorded' && Number(number) >= histories.length) {
    const there = histories.length
      ? `${histories.length} histories are given, from recorded 0 on`
      : 'no histories are given';
    throw new TypeError(`There is no case ${given.only}: ${there}.`);
  }
}

/** Throws `TypeError` when `factory` is not a factory at all; faults inside a factory are broken rules. */
function checkFactory(factory: unknown): void {
  if (factory instanceof Promise)
    throw new TypeError('The factory is a promise. Await it first: the kit takes { needs, create }.');
  if (typeof factory === 'function')
    throw new TypeError('The factory is a function. The kit takes an object { needs, create }.');
  if (!isObject(factory)) throw new TypeError(`The factory is ${show(factory)}. The kit takes { needs, create }.`);
}

function isHistory(history: unknown): boolean {
  return (
    Array.isArray(history) &&
    history.every(
      (message) => isObject(message) && 'role' in message && 'text' in message && typeof message.text === 'string',
    )
  );
}

/** The most similar option name, if it is similar enough. */
function nearest(name: string): string | null {
  const letters = (text: string) => [...text.toLowerCase()].sort().join('');
  const found = Object.keys(CHECKS).find((known) => {
    const [a, b] = [known.toLowerCase(), name.toLowerCase()];
    return a.startsWith(b.slice(0, 4)) || b.startsWith(a.slice(0, 4)) || letters(a) === letters(b);
  });
  return found ?? null;
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : String(value);
}
