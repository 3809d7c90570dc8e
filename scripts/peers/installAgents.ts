/**
 * Installs the agents in a folder outside the checkout: the core from a tarball of this checkout, each peer as npm has it now.
 * Invariant: no script of a peer's packages runs but the one that it cannot start without, and that one has no network.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutNpmVariables } from '../host/installCodeServer.ts';
import { packCore } from '../packages/packProgram.ts';
import type { Agent } from './agents/agent.ts';
import { cleanEnvironment, runContained, runProgram } from './contain.ts';

export interface InstalledAgent {
  readonly version: string;
  /** Absolute: the executable, or the entry of the core. */
  readonly program: string;
}

const MOST_MS = 5 * 60_000;
const CORE = 'palimpsest-core';

/** Rejects with the reason when it cannot be installed. `folder` is the same for all agents. */
export async function installAgent(agent: Agent, folder: string): Promise<InstalledAgent> {
  const home = join(folder, 'home');
  const cwd = join(folder, agent.package.replaceAll(/\W+/g, '-').replace(/^-/, ''));
  for (const each of [join(home, 'tmp'), cwd]) mkdirSync(each, { recursive: true });
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n');
  const isCore = agent.package === CORE;
  const source = isCore ? ['--offline', await packCore(join(folder, 'packed'))] : [`${agent.package}@latest`];
  const npm = ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', ...source];
  // Npm is the person's own, with registry and certificates as they set it up.
  const env = withoutNpmVariables(process.env);
  const { code, output } = await runProgram(npm, { cwd, env, timeoutMs: MOST_MS });
  if (code !== 0) throw new Error(`npm cannot install it: ${lastLines(output)}`);
  if (agent.needsInstallScript) {
    const clean = { ...cleanEnvironment(home), PATH: process.env.PATH };
    await runContained(['npm', 'rebuild', agent.package], { cwd, env: clean, timeoutMs: MOST_MS });
  }
  const installed = join(cwd, 'node_modules', agent.package);
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string };
  const program = isCore ? join(installed, 'index.js') : join(cwd, 'node_modules/.bin', agent.program);
  if (!existsSync(program)) throw new Error(`${agent.package} ${version} has no program ${agent.program}`);
  return { version, program };
}

/** The end of an output as one line. */
export function lastLines(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  return (
    lines
      .filter((line) => line !== '')
      .slice(-3)
      .join(' ')
      .slice(-300) || 'it wrote nothing'
  );
}
