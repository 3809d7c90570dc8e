/** The places that scripts share. Nothing is written into the repository outside ignored folders. */

import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Large downloads are kept here, outside the repository, so that every checkout shares them; each has its own sample
 * workspace beside them.
 */
export const CACHE = process.env.PALIMPSEST_CACHE ?? join(homedir(), '.cache', 'palimpsest');

export const VSIX = join(ROOT, 'palimpsest.vsix');
/** In bytes: what `npm run package` refuses to pass. */
export const SIZE_LIMITS = { vsix: 1_536 * 1024, entry: 60 * 1024, webview: 500 * 1024 } as const;

export const RESULTS = join(ROOT, 'test-results');

/** The extension that opens the panel in the window of `npm start`. */
export const OPENER = join(ROOT, 'scripts/start/opener');

/** Sources exported by `palimpsest-api` besides the names of the tools. None of them imports anything. */
export const API_SOURCES = ['src/api/index.ts', 'src/api/errors.ts'] as const;
