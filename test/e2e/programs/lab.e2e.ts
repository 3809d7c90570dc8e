/** The lab as a person runs it: recorded sessions under several strategies, side by side. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../../../scripts/paths.ts';
import { generateSession } from '../../support/sessions/generateSession.ts';
import { expect, test } from '../support/scenario.ts';

test('npm run lab replays recorded sessions under each strategy', { tag: '@B6' }, async ({ makeFolder }) => {
  const sessions = makeFolder({ 'one.jsonl': generateSession({ seed: 7, messages: 80 }) });
  const asked = [sessions, '--strategies', 'tool-result-hiding,selective', '--window', '16000'];
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/lab.ts', ...asked], { cwd: ROOT });
  expect(stdout).toMatch(/tool-result-hiding[\s\S]*selective/);
});
