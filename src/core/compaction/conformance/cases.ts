/** The cases of a check, generated and recorded. Each is the same whether it runs alone or among others. */

import type { Message } from '../../context/message.ts';
import { seededRandom } from '../../seededRandom.ts';
import { generateExtras, generateHistory, growRecorded, markTexts } from './generateHistory.ts';
import { markOf } from './guideRules.ts';
import type { KitOptions } from './kitOptions.ts';

export const CHAIN = 5;

/** Numbers of turns of histories with a special size, by their position in a cycle. */
const TURNS = { every: 60, at: { 3: 0, 7: 150 } as Readonly<Record<number, number>> };

/** Nothing in it may be removed. */
const ONLY_A_QUESTION: readonly Message[] = [{ role: 'user', kind: 'user', text: 'Why does the retry test fail?' }];

/** The number of the first recorded session. */
const RECORDED = 80_000;

export interface Case {
  readonly name: string;
  /** Its index among all cases, which determines the situations of its compactions. */
  readonly at: number;
  /** Of its session, unique in the check. */
  readonly number: number;
  readonly messages: readonly Message[];
  /** The messages added after each compaction. */
  readonly more: readonly (readonly Message[])[];
}

/** The cases that the options request; each is the same whether it runs alone or among others. */
export function* casesOf({ cases = 200, seed = 1, histories = [], only }: KitOptions): Generator<Case> {
  const isAsked = (name: string) => only === undefined || only === name;
  const last = only?.startsWith('generated ') ? Math.max(cases, Number(only.split(' ')[1]) + 1) : cases;
  for (let i = 0; i < last; i++) {
    const name = `generated ${i}`;
    if (!isAsked(name)) continue;
    const random = seededRandom(seed * 1_000_003 + i);
    const turns = TURNS.at[i % TURNS.every] ?? 1 + Math.floor(random() * 6);
    const messages = turns > 0 ? generateHistory(random, turns, `c${i}`) : ONLY_A_QUESTION;
    const more = Array.from({ length: CHAIN }, (_, n) => generateHistory(random, 1, `c${i}.${n}`));
    const extra = seededRandom(seed * 1_000_003 + i + 500_000);
    const grown = more.map((each, n) => [...each, ...generateExtras(extra, `c${i}.${n}`)]);
    const mark = markOf(i);
    const marked = { messages: markTexts(messages, mark), more: grown.map((each) => markTexts(each, mark)) };
    yield { name, at: i, number: i, ...marked };
  }
  for (const [i, recorded] of histories.entries()) {
    const name = `recorded ${i}`;
    if (isAsked(name)) yield { name, at: i, number: RECORDED + i, ...growRecorded(recorded, CHAIN) };
  }
}
