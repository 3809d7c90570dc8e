/**
 * Messages waiting for a session: a small file each, so that one can be left while another window has the session open,
 * and is there when its next turn begins.
 */

import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeftMessage, Mailbox } from '../../../core/agent/parts/mailbox.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Crypto } from '../../../core/crypto.ts';
import { UserFacingError } from '../../../core/errors.ts';
import { objectOf, parseJson } from '../../../core/json.ts';
import { words } from '../../../core/words.ts';
import { readBounded } from '../../files/checkedFiles.ts';
import { rename, rm } from '../disk/patientDisk.ts';
import { readFolder, storageError } from '../disk/storageError.ts';

const MAIL = 'mail';
/** Characters of one message. */
export const LONGEST_MESSAGE = 20_000;
const MOST_WAITING = 20;
const LONGEST_FILE = 4 * LONGEST_MESSAGE + 10_000;

/** `folder` belongs to the receiving session. */
export async function leaveMessage(
  folder: string,
  message: LeftMessage,
  { clock, crypto }: { readonly clock: Clock; readonly crypto: Crypto },
): Promise<void> {
  const place = join(folder, MAIL);
  if ((await filesIn(place)).length >= MOST_WAITING)
    throw new UserFacingError(
      words('{0} messages are already waiting for that session. Continue that session first.', MOST_WAITING),
    );
  const path = join(place, `${String(clock.now()).padStart(16, '0')}-${crypto.randomHex(4)}.json`);
  try {
    // The folder of a deleted session is not recreated.
    await stat(folder);
    await mkdir(place, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.tmp`, JSON.stringify({ ...message, text: message.text.slice(0, LONGEST_MESSAGE) }));
    await rename(`${path}.tmp`, path);
  } catch (thrown) {
    throw storageError(path, thrown);
  }
}

export function openMailbox(folder: string): Mailbox {
  return {
    waiting: async () => {
      const read = (await filesIn(join(folder, MAIL))).slice(0, MOST_WAITING).map(async (path) => {
        const message = await readMessage(path);
        return message ? [{ message, remove: () => rm(path, { force: true }) }] : [];
      });
      return (await Promise.all(read)).flat();
    },
  };
}

/** Removes waiting messages that contain one of these texts. */
export async function redactMail(folder: string, holds: (bytes: Buffer) => boolean): Promise<void> {
  for (const path of await filesIn(join(folder, MAIL)))
    if (holds(await readFile(path))) await rm(path, { force: true });
}

async function filesIn(place: string): Promise<string[]> {
  return (await readFolder(place))
    .map(({ name }) => name)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(place, name));
}

/** Null for a damaged one: it stays in place, and affects no turn. */
async function readMessage(path: string): Promise<LeftMessage | null> {
  try {
    const bytes = await readBounded(path, LONGEST_FILE);
    if (typeof bytes === 'string') return null;
    const { from, title, text } = objectOf(parseJson(bytes.toString('utf8')));
    if (typeof from !== 'string' || typeof title !== 'string' || typeof text !== 'string') return null;
    return { from: from.slice(0, 100), title: title.slice(0, 200), text: text.slice(0, LONGEST_MESSAGE) };
  } catch {
    return null;
  }
}
