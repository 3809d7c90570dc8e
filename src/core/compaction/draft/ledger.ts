/**
 * Facts of what left and leaves are looked for in what stays, and what is missing goes into a ledger of bounded size, which the
 * kinds of facts share. It repairs and never blocks.
 */

import type { PastMessage } from '../../../api/index.ts';
import { countTokens, takeTokens } from '../../tokens/estimate.ts';
import { extractFacts } from '../outcomes/extractFacts.ts';
import { type Said, wholeSession } from '../outcomes/said.ts';
import type { Draft } from './draft.ts';
import { type Fact, LEDGER_HEADING } from './facts.ts';
import { neutraliseStubs } from './stub.ts';

/**
 * The draft itself when nothing leaves: a stub keeps its handle, so what is hidden is not lost. `past` is what left with
 * earlier compactions, too: what notes of it still said then may leave now.
 */
export function addLedger(draft: Draft, ledgerTokens: number, past: readonly PastMessage[]): Draft {
  const { messages } = draft.history;
  if (ledgerTokens <= 0 || draft.dropped().length === 0) return draft;
  const stays = new Set<Said>();
  draft.visit((message) => void stays.add(message));
  const facts = extractFacts(wholeSession(messages, past), (message) => !stays.has(message));
  const left = flatten(textOf(draft));
  const { checked, added } = share(facts, ledgerTokens, (needle) => left.includes(flatten(needle)));
  const verified = draft.verified({ checked, added });
  if (added.length === 0) return verified;
  const ledger = [LEDGER_HEADING, ...added.map((line) => `- ${line}`)].join('\n');
  // A note of its own, beside the newest summary of this compaction: what a model wrote and what a program found stay apart.
  return verified.insert(draft.inserts.at(-1)?.before ?? 0, ledger);
}

/** A line takes at most this share of the ledger: so the first task and a line of every kind always fit. */
const LINE_SHARE = 1 / 8;
const SHORTEST_LINE = 24;

/** The first task, then one line of each kind in turn, until the ledger is full; in the order of the kinds. */
function share(kinds: readonly Fact[][], ledgerTokens: number, survived: (needle: string) => boolean) {
  const longest = Math.max(SHORTEST_LINE, Math.floor(ledgerTokens * LINE_SHARE)) - 2;
  const added: string[][] = kinds.map(() => []);
  let left = ledgerTokens - countTokens(LEDGER_HEADING);
  let checked = 0;
  /** False when the line has no room. */
  const add = (kind: number, line: string): boolean => {
    const safe = neutraliseStubs(line);
    const short = countTokens(safe) > longest ? `${takeTokens(safe, longest - 1)}…` : safe;
    left -= countTokens(short) + 2;
    if (left < 0) return false;
    added[kind]?.push(short);
    return true;
  };
  // A long session has as many facts as messages: none is looked for once the ledger is full.
  const missing = function* (facts: readonly Fact[]) {
    for (const { line, needle } of facts) {
      checked++;
      if (!survived(needle)) yield line;
    }
  };
  const [asked = []] = kinds;
  const [first] = missing(asked.slice(-1));
  const queues = new Map(kinds.map((facts, kind) => [kind, missing(kind === 0 ? facts.slice(0, -1) : facts)]));
  let room = first === undefined || add(0, first);
  while (room && queues.size) {
    for (const [kind, queue] of queues) {
      const next = queue.next();
      if (next.done) queues.delete(kind);
      else room = add(kind, next.value);
      if (!room) break;
    }
  }
  // The newest request stands first, the first task last.
  if (first !== undefined) added[0]?.push(...(added[0]?.splice(0, 1) ?? []));
  return { checked, added: added.flat() };
}

const flatten = (text: string) => text.replace(/\s+/g, ' ');

function textOf(draft: Draft): string {
  const texts = draft.inserts.map(({ text }) => text);
  draft.visit((_, index) => {
    texts.push(draft.textAt(index));
    // Facts are looked for as they read, not as JSON escapes them.
    for (const json of draft.argumentsAt(index)) texts.push(json.replaceAll('\\\\', '\\'));
  });
  return texts.join('\n');
}
