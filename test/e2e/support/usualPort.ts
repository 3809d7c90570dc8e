/** A server of models at a port where the product looks for one on this machine: the first of those that are free. */

import { LOCAL_PRESETS, type Preset } from '../../../src/providers/presets.ts';
import { llamaCpp } from '../../support/localServers/llamaCpp.ts';
import { lmStudio } from '../../support/localServers/lmStudio.ts';
import {
  type LocalDialect,
  type LocalServer,
  type LocalServerOptions,
  startLocalServer,
} from '../../support/localServers/localServer.ts';
import { ollama } from '../../support/localServers/ollama.ts';
import { vllm } from '../../support/localServers/vllm.ts';
import { test } from './scenario.ts';

const DIALECTS: Readonly<Record<string, LocalDialect>> = {
  ollama: ollama(),
  lmstudio: lmStudio(),
  llamacpp: llamaCpp(),
  vllm: vllm(),
};

/** Skips the test where all of them are taken. */
export async function startAtUsualPort(options: LocalServerOptions): Promise<{ local: LocalServer; preset: Preset }> {
  const taken: string[] = [];
  for (const preset of LOCAL_PRESETS) {
    const dialect = DIALECTS[preset.id];
    const { port } = new URL(preset.baseUrl);
    if (!dialect) continue;
    try {
      return { local: await startLocalServer(dialect, { ...options, port: Number(port) }), preset };
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE')) throw thrown;
      taken.push(`${port} (${preset.label})`);
    }
  }
  test.skip(true, `Every port at which servers on this machine are looked for is taken: ${taken.join(', ')}.`);
  throw new Error('the test was skipped');
}
