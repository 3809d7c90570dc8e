/**
 * F18: what a turn of a very long session costs late, against early: bytes that are posted to the panel, work and memory
 * of the extension; and how much of the work is for ledgers. The agent, its journal on disk, the compactions, the rows and the frames are the product's; the model
 * answers at once.
 */

import { addLedger } from '../src/core/compaction/draft/ledger.ts';
import { readTodos } from '../src/core/instructions/readTodos.ts';
import { splitIntoParts } from '../src/core/tokens/meter.ts';
import type { ShownSession } from '../src/node/session/shownSession.ts';
import { nodeCrypto } from '../src/node/storage/disk/fileBlobStore.ts';
import { SessionStore } from '../src/node/storage/sessions/sessionStore.ts';
import type { PanelState } from '../src/protocol/messages.ts';
import { READY } from '../test/support/panelScenes.ts';
import { readingPanel } from '../test/support/sessions/readingPanel.ts';
import { type Line, percentLine, ratioLine } from './support/line.ts';
import { fileText } from './support/longSession.ts';
import { profiled } from './support/profile.ts';
import { inFolder, usedHeap } from './support/session.ts';

export const id = 'F18';

const TURNS = 2_000;
const TENTHS = 10;
/** A file of each turn is some 1,300 tokens: about every third turn is compacted. */
const WINDOW = 20_000;
const MOST = 1.3;
const MOST_OF_LEDGERS = 0.1;
/** Numbers of one length: a longer one would be another kind of name, and the session another in its second half. */
const textOf = (turn: number) => fileText(10_000 + turn);

interface Tenth {
  readonly posted: number;
  readonly milliseconds: number;
  /** Bytes of the heap that stayed. */
  readonly kept: number;
}

export async function run(): Promise<Line[]> {
  const { result, share } = await profiled(() => inFolder(runSession));
  const { tenths, compactions, heap } = result;
  const ratio = (of: keyof Tenth) => (tenths.at(-1)?.[of] ?? 0) / (tenths[1]?.[of] ?? 0);
  const each = (of: keyof Tenth, unit: number) => tenths.map((one) => (one[of] / unit).toFixed(1)).join(' ');
  const late = `in the last tenth of ${TURNS} turns with ${compactions} compactions, against the second`;
  return [
    ratioLine(id, `bytes posted to the panel a turn ${late} (KB: ${each('posted', 1024)})`, ratio('posted'), MOST),
    ratioLine(id, `CPU a turn ${late} (ms: ${each('milliseconds', 1)})`, ratio('milliseconds'), MOST),
    ratioLine(
      id,
      `memory that a turn leaves ${late} (KB: ${each('kept', 1024)}; ${Math.round(heap / 1024 / 1024)} MB at the end)`,
      ratio('kept'),
      MOST,
    ),
    percentLine(
      id,
      `processor time of those ${TURNS} turns that the ledgers take`,
      share(addLedger.name),
      MOST_OF_LEDGERS,
    ),
  ];
}

async function runSession(folder: string): Promise<{ tenths: Tenth[]; compactions: number; heap: number }> {
  const clock = { now: () => Date.now() };
  const store = new SessionStore({ folder, workspace: null, engine: 'bench', clock, crypto: nodeCrypto });
  const { journal, blobs } = await store.create();
  let posted = 0;
  const { session, frames, turn } = readingPanel({
    turns: TURNS,
    window: WINDOW,
    fileText: textOf,
    state: stateOf,
    agent: { session: { journal, blobs } },
    onFrame: (frame) => {
      posted += JSON.stringify(frame).length;
    },
  });
  const turns = TURNS / TENTHS;
  const tenths: Tenth[] = [];
  for (let tenth = 1; tenth <= TENTHS; tenth++) {
    const heap = usedHeap();
    posted = 0;
    const begun = process.cpuUsage();
    for (let nth = 0; nth < turns; nth++) await turn();
    const { user, system } = process.cpuUsage(begun);
    const milliseconds = (user + system) / 1_000 / turns;
    tenths.push({ posted: posted / turns, milliseconds, kept: (usedHeap() - heap) / turns });
    process.stderr.write(`\r${tenth * turns} of ${TURNS} turns, ${milliseconds.toFixed(1)} ms each `);
  }
  process.stderr.write('\n');
  frames.dispose();
  const compactions = [...journal.ofType('compaction')].length;
  const heap = usedHeap();
  await session.dispose();
  return { tenths, compactions, heap };
}

/** What the panel's state reads of the session. */
function stateOf(session: ShownSession): PanelState {
  const { conversation, title, mode } = session;
  if (!conversation) return READY;
  const { journal, compactor, status, retrying: retry } = conversation;
  const { known, unknown } = journal.spending;
  const parts = splitIntoParts(journal.context, compactor.gauge.reading).map((part) => ({ ...part }));
  return {
    ...READY,
    title,
    mode,
    status,
    retry,
    costs: { known: [...known], unknown },
    meter: { ...READY.meter, tokens: compactor.gauge.reading.tokens, trigger: compactor.gauge.mark?.at ?? null, parts },
    todo: readTodos(journal).map((todo) => ({ ...todo })),
  };
}
