/** `palimpsest-lab autopsy`: what the compactions of one recorded session lost, printed and as one HTML file. */

import { writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { showHidden } from '../core/tools/text/showHidden.ts';
import { inEnglish, type Translate } from '../core/words.ts';
import { PLAIN_STRATEGIES } from '../lab/baselines/baselines.ts';
import { describeAutopsy, RIVALS } from '../node/lab/describeAutopsy.ts';
import { runAutopsy } from '../node/lab/runAutopsy.ts';
import { pageHtml } from '../node/pages/pageHtml.ts';
import { pageText } from '../node/pages/pageText.ts';
import { scrubPage } from '../node/pages/scrubPage.ts';
import { openCleaner } from '../node/secrets/openCleaner.ts';
import { checkPlace, readStrategies } from './arguments.ts';
import { listSessions, loadSession, type SessionSource } from './sessionFiles.ts';
import { openStrategies } from './strategies.ts';

/** Throws an `Error` whose message can be shown. */
export async function printAutopsy(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      strategies: { type: 'string', default: RIVALS.join(',') },
      html: { type: 'string' },
      scrub: { type: 'boolean', default: false },
      session: { type: 'string' },
    },
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) throw new Error('autopsy takes one file, a recorded session.');
  const strategies = readStrategies(values.strategies).filter((id) => !PLAIN_STRATEGIES.includes(id));
  if (values.html !== undefined) checkPlace(values.html);
  const { sessions } = await listSessions([path], signal);
  const source = chooseSession(sessions, path, values.session);
  const registry = await openStrategies(strategies);
  const autopsy = await runAutopsy(await loadSession(source, tell), strategies, registry, signal);
  const labels = new Map(registry.list().map(({ id, label }) => [id, label]));
  const page = describeAutopsy({ autopsy, labels, actions: [] }, inTerminal);
  const names = [userInfo().username, basename(homedir())];
  const shown = values.scrub
    ? scrubPage(page, { places: [[homedir(), '~']], names, cleaner: await openCleaner() })
    : page;
  process.stdout.write(pageText(shown));
  if (values.html !== undefined) writeFileSync(values.html, pageHtml(shown, 'en'));
}

/** Beside the page, which can be piped. */
const tell = (line: string) => process.stderr.write(`${showHidden(line)}\n`);

const MOST_NAMED = 10;

/** The one of several sessions in a place that is named, by its id there or by its name. */
function chooseSession(sessions: readonly SessionSource[], path: string, wanted: string | undefined): SessionSource {
  const found =
    wanted === undefined ? sessions : sessions.filter(({ name, part }) => wanted === part || wanted === name);
  const [source, ...others] = found;
  if (source && others.length === 0) return source;
  const named = sessions.slice(0, MOST_NAMED).map(({ name, part }) => `  ${part ?? name}  ${name}`);
  const more = sessions.length > MOST_NAMED ? ['  …'] : [];
  const what = source ? 'name one with --session' : `none of them is ${wanted}`;
  throw new Error([`${path} holds ${sessions.length} sessions: ${what}.`, ...named, ...more].join('\n'));
}

/** A terminal speaks English. */
const inTerminal: Translate = (text, ...values) => inEnglish([{ text, values }]);
