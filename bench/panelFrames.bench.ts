/** F11: what the extension posts to the panel for each token, however long the session is; and how often. */

import type { TreeEntry } from '../src/core/journal/entry.ts';
import { Journal } from '../src/core/journal/journal.ts';
import { NOTHING_LIVE } from '../src/core/transcript/liveTurn.ts';
import { Transcript } from '../src/core/transcript/transcript.ts';
import { PanelFrames } from '../src/host/panel/panelFrames.ts';
import { nodeCrypto } from '../src/node/storage/disk/fileBlobStore.ts';
import { LIVE_ROW, type Row } from '../src/protocol/rows.ts';
import { assistant, RUNNING } from '../test/support/panelScenes.ts';
import { type Line, ratioLine } from './support/line.ts';
import { sessionEntries } from './support/session.ts';

export const id = 'F11';

const TOKENS = 2_000;
const TOKENS_A_FRAME = 5;

export async function run(): Promise<Line[]> {
  const short = stream(100);
  const long = stream(10_000);
  return [
    ratioLine(
      id,
      `bytes posted for a token with 10,000 messages (${long.bytes.toFixed(0)}), against 100`,
      long.bytes / short.bytes,
      1.05,
    ),
    ratioLine(id, 'posts, against frames', long.posts / long.frames, 1),
  ];
}

/** One answer that streams at the end of a session. */
function stream(messages: number): { bytes: number; posts: number; frames: number } {
  const entries = [...sessionEntries(200).take(messages)];
  const store = { append: () => Promise.reject(new Error('only measured')) } as never;
  const journal = new Journal(entries, { store, clock: { now: () => 0 }, crypto: nodeCrypto });
  const transcript = Transcript.of(entries.filter((entry): entry is TreeEntry => 'parent' in entry));
  let text = '';
  const live = () => ({ ...NOTHING_LIVE, running: true, answer: { time: 0, text, reasoning: '' } });
  let bytes = 0;
  let posts = 0;
  const frames = new PanelFrames(
    {
      state: () => RUNNING,
      rows: (beforeId, count) => transcript.rows(journal.context, live(), beforeId, count),
      row: (rowId): Row | null =>
        rowId === 'end' ? assistant('end', text) : transcript.row(rowId, journal.context, live()),
      kept: () => null,
    },
    (frame) => {
      bytes += JSON.stringify(frame).length;
      posts++;
    },
  );
  frames.show(60);
  bytes = 0;
  posts = 0;
  frames.take({ kind: 'rows', ids: [LIVE_ROW] });
  frames.flush();
  let count = 1;
  for (let token = 0; token < TOKENS; token++) {
    text += ' token';
    frames.take({ kind: 'delta', rowId: LIVE_ROW, text: ' token', reasoning: '' });
    if (token % TOKENS_A_FRAME !== TOKENS_A_FRAME - 1) continue;
    frames.flush();
    count++;
  }
  frames.dispose();
  return { bytes: bytes / TOKENS, posts, frames: count };
}
