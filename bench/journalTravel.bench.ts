/** F5: what going back costs: a revert, an undo, an expansion, each one appended line, at two lengths of a session. */

import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { EntryDraft } from '../src/core/journal/entry.ts';
import type { Journal } from '../src/core/journal/journal.ts';
import { nodeCrypto } from '../src/node/storage/disk/fileBlobStore.ts';
import { openJournal } from '../src/node/storage/journal/openJournal.ts';
import { type Line, median, ratioLine } from './support/line.ts';
import { inFolder, time, writeSession } from './support/session.ts';

export const id = 'F5';

const RUNS = 60;
const NOTE: EntryDraft = { type: 'note', level: 'info', text: 'one more line, for the price of an append' };

export function run(): Promise<Line[]> {
  return inFolder(async (folder) => {
    const lines: Line[] = [];
    const path = join(folder, 'journal.jsonl');
    for (const megabytes of [4, 100]) {
      writeSession(path, megabytes * 1_000_000);
      const journal = (await openJournal({ path, id: 'bench', clock: { now: () => 0 }, crypto: nodeCrypto })).journal;
      const { append, revert, undo, expand } = await measure(journal);
      await journal.close();
      const at = `at ${megabytes} MB, against an append`;
      lines.push(ratioLine(id, `a revert ${at}`, revert / append, 3));
      lines.push(ratioLine(id, `an undo ${at}`, undo / append, 3));
      lines.push(ratioLine(id, `an expansion ${at}`, expand / append, 3));
      if (megabytes !== 100) continue;
      const rotation = await time(() => rotateAndRewrite(path));
      lines.push({
        id,
        name: `rotating and rewriting 100 MB (${rotation.toFixed(0)} ms), against a revert (${(revert * 1000).toFixed(0)} µs)`,
        figure: `${Math.round(rotation / revert).toLocaleString('en')} ×`,
        goal: '≥ 1,000 ×',
        ok: rotation >= revert * 1_000,
      });
    }
    return lines;
  });
}

/** Medians of a single awaited append of each kind, the new context asked for; what takes it back is not measured. */
async function measure(journal: Journal) {
  const times: Record<'append' | 'revert' | 'undo' | 'expand', number[]> = {
    append: [],
    revert: [],
    undo: [],
    expand: [],
  };
  const look = () => journal.context.conversation.length;
  const ids = [journal.context.conversation[0]?.id ?? ''];
  for (let run = 0; run < RUNS; run++) {
    times.append.push(await time(() => journal.append(NOTE).then(look)));
    const target = journal.context.activeCompactions.at(-1)?.seq ?? -1;
    times.undo.push(await time(() => journal.append({ type: 'compactionUndone', target }).then(look)));
    await journal.append({ type: 'compactionRedone', target });
    times.expand.push(await time(() => journal.append({ type: 'expanded', ids }).then(look)));
  }
  // A move of the head costs a fold when somebody looks at the context: F4 measures that.
  for (let run = 0; run < RUNS; run++) {
    const { head } = journal;
    times.revert.push(await time(() => journal.revert((head ?? 0) - 1, 'user')));
    await journal.revert(head, 'user');
  }
  return {
    append: median(times.append),
    revert: median(times.revert),
    undo: median(times.undo),
    expand: median(times.expand),
  };
}

/** What others do: move the file away, read it line by line up to the checkpoint, write that part again. */
async function rotateAndRewrite(path: string): Promise<void> {
  await rename(path, `${path}.1`);
  const out = createWriteStream(path);
  for await (const line of createInterface({ input: createReadStream(`${path}.1`) })) {
    JSON.parse(line);
    out.write(`${line}\n`);
  }
  await new Promise((resolve, reject) => out.end((error?: Error | null) => (error ? reject(error) : resolve(null))));
}
