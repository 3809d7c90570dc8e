/** Diagnostics hold what helps to find a fault, and nothing that is secret or said. */

import { expect, test } from 'vitest';
import { describeDiagnostics } from '../../../src/host/commands/exportDiagnostics.ts';
import { openCleaner } from '../../../src/node/secrets/openCleaner.ts';

const FACTS = {
  versions: [['Palimpsest', '0.1.0']],
  settings: [
    { name: 'palimpsest.compaction.auto', value: false, listed: false },
    { name: 'palimpsest.compaction.strategy', value: 'selective', listed: true },
    { name: 'palimpsest.endpoints', value: 'https://me:hunter22@host.example/v1?key=abc', listed: false },
    { name: 'palimpsest.endpoints', value: [{ headers: { authorization: 'Bearer abcdef' } }], listed: false },
  ],
  session: [['entries', 12]],
  storage: [['sessions', 1_234]],
  log: [
    'GET https://me:hunter22@host.example/v1/models?api_key=abcdef123456',
    'authorization: Bearer abcdefabcdef',
    'sk-proj-abcdefghijklmnop refused in /home/ada/work',
    'the key k-very-own-secret was refused',
    'GET vscode-file://vscode-app/home/ada/x "\\/home\\/ada" %2Fhome%2Fada',
    'Countess Lovelace asked',
  ],
  cleaner: await openCleaner(['k-very-own-secret', '']),
  places: [['/home/ada', '~']],
  names: ['ada', 'Lovelace'],
} as const;

test('say versions, figures, and which settings were changed', () => {
  const text = describeDiagnostics(FACTS);
  for (const line of [
    '- Palimpsest: 0.1.0',
    '- palimpsest.compaction.auto: false',
    '- entries: 12',
    '- sessions: 1,234 bytes',
  ])
    expect(text).toContain(line);
  expect(text).toContain('- palimpsest.compaction.strategy: selective');
  expect(text).toContain('- palimpsest.endpoints: set, 1 entries');
});

test('hold no secret, wherever it stood', () => {
  const text = describeDiagnostics(FACTS);
  for (const secret of ['hunter22', 'abcdef', 'k-very-own-secret', '/home/ada', 'ada', 'Lovelace'])
    expect(text).not.toContain(secret);
  expect(text).toContain('refused in ~/work');
});
