/** Names the session that another program recorded, so that one is known which is already here, and whether it went on since. */

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { identityOf } from '../../../core/sessions/identity.ts';
import { recognise } from '../../../core/sessions/recognise.ts';
import { listParts, readBeginning } from './recordedParts.ts';
import type { RecordedPlace } from './recordedText.ts';

export interface RecordedSource {
  /** The id that its program gave it, or a hash of its place where the program gives none. */
  readonly session: string;
  /** Another one once the session went on: the file's length, or when a session in a database was changed last. */
  readonly state: string;
}

/** Throws where the place cannot be read. */
export async function sourceOf(place: RecordedPlace, signal: AbortSignal): Promise<RecordedSource> {
  const { path, part } = place;
  if (part?.startsWith('ses')) {
    const found = (await listParts(path, signal)).find((each) => each.part === part);
    return { session: `openCode:${part}`, state: String(found?.time ?? 0) };
  }
  const [{ size }, { text }] = await Promise.all([stat(path), readBeginning(place, signal)]);
  const recognised = recognise(text);
  const id = recognised && identityOf(recognised, text);
  const hash = () =>
    createHash('sha256')
      .update(`${path}\n${part ?? ''}`)
      .digest('hex');
  return { session: id ?? `place:${hash()}`, state: String(size) };
}
