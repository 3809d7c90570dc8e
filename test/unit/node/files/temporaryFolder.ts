/** A fresh folder on the real disk for one test file, removed at its end. */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Files } from '../../../../src/core/workspace/files.ts';
import { openWorkspaceFiles, type WorkspaceFilesOptions } from '../../../../src/node/files/workspaceFiles.ts';

export function createTemporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'palimpsest-')));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Files of one folder, with no editor and no ripgrep unless given. */
export function openFolder(path: string, options: Partial<WorkspaceFilesOptions> = {}): Promise<Files> {
  return openWorkspaceFiles({
    folders: [{ name: 'workspace', path }],
    denied: [],
    ripgrep: async () => null,
    ...options,
  });
}
