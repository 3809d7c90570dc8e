/**
 * `npm run questions`: how often a person would have been asked about the shell commands of recorded sessions, under
 * each set of rules. `-- --list` prints instead what would have run only because it reads; `-- --run` runs that in a small
 * repository of its own and tells what it changed.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findSessionFolder } from './lab/recordedFolder.ts';
import { exactRules, type Policy, partRules, sandbox } from './questions/policies.ts';
import { readCommands } from './questions/recordedCommands.ts';
import { runReading } from './questions/runReading.ts';

const folder = findSessionFolder();
if (folder === null) {
  process.stderr.write('No recorded sessions: name their folder by PALIMPSEST_SESSIONS.\n');
  process.exitCode = 1;
} else await count(folder, process.argv.slice(2));

async function count(folder: string, wanted: readonly string[]): Promise<void> {
  const names = readdirSync(folder).filter((name) => /\.jsonl(?:\.gz)?$/u.test(name));
  const sessions = names.sort().map((name) => readCommands(join(folder, name)));
  const commands = sessions.flatMap((session) => session.commands);
  const read = new Map<string, string>();
  const policies = [exactRules(), partRules(false), partRules(true, (line, root) => read.set(line, root)), sandbox()];
  const rows: { policy: Policy; asked: number }[] = [];
  for (const policy of policies) {
    let asked = 0;
    for (const { root, commands } of sessions) {
      for (const command of commands) if (await policy.asks(command, root)) asked++;
    }
    rows.push({ policy, asked });
  }
  if (wanted.includes('--list')) {
    process.stdout.write(
      `${[...read.keys()]
        .sort()
        .map((line) => JSON.stringify(line))
        .join('\n')}\n`,
    );
    return;
  }
  if (wanted.includes('--run')) {
    const { ran, succeeded, changed } = runReading([...read].map(([line, root]) => ({ line, root })));
    process.stdout.write(`${ran} lines ran, ${succeeded} without an error; ${changed.length} changed a file.\n`);
    for (const line of changed) process.stdout.write(`${JSON.stringify(line)}\n`);
    if (changed.length > 0) process.exitCode = 1;
    return;
  }
  const first = rows[0]?.asked ?? 0;
  const table = rows.map(({ policy, asked }) => {
    const hundred = ((asked / commands.length) * 100).toFixed(1);
    const change = asked === first ? '' : `−${(100 - (asked / first) * 100).toFixed(0)}%`;
    return `| ${policy.name} | ${asked} | ${hundred} | ${change} |`;
  });
  process.stdout.write(
    [
      `${commands.length} commands of ${sessions.filter((each) => each.commands.length > 0).length} sessions; ${read.size} distinct lines ran only because they read.`,
      '',
      '| rules | questions | per hundred commands | change |',
      '| --- | --- | --- | --- |',
      ...table,
      '',
    ].join('\n'),
  );
}
