/**
 * Verification (DESIGN §5.7, B5): facts of what leaves are looked for in what stays, and what is missing goes into a
 * ledger of bounded size. It repairs and never blocks: without room for a ledger the candidate stays as it is.
 */

import type { ContextMessage } from '../../../api/index.ts';
import type { LedgerReport } from '../../journal/entry.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { type Candidate, type Change, droppedIndices, type Slot } from './candidate.ts';
import { extractFacts, LEDGER_HEADING } from './facts.ts';
import { neutraliseStubs } from './stub.ts';

export interface Verified {
  readonly candidate: Candidate;
  readonly report: LedgerReport;
}

/** Null when nothing leaves: a stub keeps its handle, so what is hidden is not lost. */
export function verifyCandidate(
  history: readonly ContextMessage[],
  candidate: Candidate,
  ledgerTokens: number,
): Verified | null {
  const gone = [...droppedIndices(candidate, history.length)].map((index) => history[index] as ContextMessage);
  if (gone.length === 0) return null;
  const facts = extractFacts(gone);
  const left = flatten(finalText(history, candidate));
  const added: string[] = [];
  let checked = 0;
  let tokens = countTokens(LEDGER_HEADING);
  // A long session has as many facts as messages: none is looked for once the ledger is full.
  for (const { line, needle } of facts) {
    checked++;
    if (left.includes(flatten(needle))) continue;
    const safe = neutraliseStubs(line);
    tokens += countTokens(safe) + 2;
    if (tokens > ledgerTokens) break;
    added.push(safe);
  }
  const report = { checked, added };
  if (added.length === 0) return { candidate, report };
  return { candidate: withLedger(candidate, [LEDGER_HEADING, ...added.map((line) => `- ${line}`)].join('\n')), report };
}

const flatten = (text: string) => text.replace(/\s+/g, ' ');

function finalText(history: readonly ContextMessage[], candidate: Candidate): string {
  const texts: string[] = [];
  // Facts are looked for as they read, not as JSON escapes them.
  const addArguments = (json: readonly string[]) => texts.push(...json.map((text) => text.replaceAll('\\\\', '\\')));
  const addMessage = (message: ContextMessage, by: Change) => {
    texts.push(by.text ?? message.text);
    if (message.role === 'assistant') addArguments(by.arguments ?? message.toolCalls.map((call) => call.arguments));
  };
  for (const slot of candidate) {
    if (slot.kind === 'insert') texts.push(slot.text);
    else if (slot.kind === 'change') addMessage(slot.message, slot.by);
    else for (let i = slot.from; i < slot.to; i++) addMessage(history[i] as ContextMessage, {});
  }
  return texts.join('\n');
}

/** Behind the newest summary this compaction wrote; a note of its own in front where it wrote none. */
function withLedger(candidate: Candidate, ledger: string): Candidate {
  const at = candidate.findLastIndex((slot) => slot.kind === 'insert');
  const found = candidate[at];
  if (found?.kind !== 'insert') return [{ kind: 'insert', text: ledger }, ...candidate];
  const slot: Slot = { kind: 'insert', text: `${found.text}\n\n${ledger}` };
  return candidate.with(at, slot);
}
