/** Decides whether desktop VS Code can be used here, and downloads it where it can. */

import { join } from 'node:path';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { CACHE } from '../paths.ts';
import { floorVersion, runsOnFloor } from './vscodeVersion.ts';

export type Desktop =
  | { readonly kind: 'found'; readonly executable: string }
  | { readonly kind: 'unusable'; readonly reason: string };

const DOWNLOAD_IDLE_MS = 15_000;

/** `PALIMPSEST_HOST=server` skips it; `VSCODE_EXECUTABLE` names an installed one. */
export async function provideDesktop(): Promise<Desktop> {
  if (process.env.PALIMPSEST_HOST === 'server') return { kind: 'unusable', reason: 'PALIMPSEST_HOST=server' };
  const given = process.env.VSCODE_EXECUTABLE;
  if (given !== undefined && given !== '') return { kind: 'found', executable: given };
  if (!hasScreen())
    return { kind: 'unusable', reason: 'there is no screen (neither DISPLAY nor WAYLAND_DISPLAY is set)' };
  try {
    const version = runsOnFloor() ? floorVersion() : 'stable';
    const cachePath = join(CACHE, 'desktop');
    const executable = await downloadAndUnzipVSCode({ version, cachePath, timeout: DOWNLOAD_IDLE_MS });
    return { kind: 'found', executable };
  } catch (error) {
    return { kind: 'unusable', reason: `its download failed (${error instanceof Error ? error.message : error})` };
  }
}

function hasScreen(): boolean {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY);
}
