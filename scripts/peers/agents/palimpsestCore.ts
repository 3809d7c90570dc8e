/** The driver of the product's own core, which a small program embeds. */

import { join } from 'node:path';
import type { Agent } from './agent.ts';

const PROGRAM = join(import.meta.dirname, '../embeddingProgram.ts');

/** `settings` are those below `palimpsest.compaction.`. */
export function palimpsestCore(strategy: string, settings: Readonly<Record<string, unknown>>): Agent {
  const set = Object.entries(settings).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return {
    id: strategy,
    title: ['palimpsest-core', strategy, ...set].join(', '),
    package: 'palimpsest-core',
    program: 'palimpsest-core',
    prepare({ program, home, url, model, window }) {
      const order = { url, model, window, settings: { ...settings, strategy }, folder: join(home, 'sessions') };
      return {
        files: { 'order.json': JSON.stringify(order) },
        env: {},
        command: (prompt) => [process.execPath, PROGRAM, program, join(home, 'order.json'), prompt],
      };
    },
  };
}
