/**
 * Facts of what leaves are looked for in what stays, and what is missing goes into a ledger of bounded size. It repairs
 * and never blocks.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { countTokens } from '../../tokens/estimate.ts';
import type { Draft } from './draft.ts';
import { extractFacts, LEDGER_HEADING } from './facts.ts';
import { neutraliseStubs } from './stub.ts';

/** The draft itself when nothing leaves: a stub keeps its handle, so what is hidden is not lost. */
export function addLedger(draft: Draft, ledgerTokens: number): Draft {
  const gone = draft.dropped().map((index) => draft.history.messages[index] as ContextMessage);
  if (gone.length === 0 || ledgerTokens <= 0) return draft;
  const left = flatten(textOf(draft));
  const added: string[] = [];
  let checked = 0;
  let tokens = countTokens(LEDGER_HEADING);
  // A long session has as many facts as messages: none is looked for once the ledger is full.
  for (const { line, needle } of extractFacts(gone)) {
    checked++;
    if (left.includes(flatten(needle))) continue;
    const safe = neutraliseStubs(line);
    tokens += countTokens(safe) + 2;
    if (tokens > ledgerTokens) break;
    added.push(safe);
  }
  const verified = draft.verified({ checked, added });
  if (added.length === 0) return verified;
  const ledger = [LEDGER_HEADING, ...added.map((line) => `- ${line}`)].join('\n');
  // After the newest summary that this compaction wrote; a note of its own in front where it wrote none.
  const newest = draft.inserts.length - 1;
  if (newest < 0) return verified.insert(0, ledger);
  return verified.rewriteInserts((text, at) => (at === newest ? `${text}\n\n${ledger}` : text));
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
