// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runOnce } from 'palimpsest-api/testing';
import { keepTests } from '../strategy.js';

/** One compaction of a conversation in which a command printed this. @param {string} printed */
function compact(printed) {
  return runOnce(
    keepTests,
    [
      { role: 'user', kind: 'user', text: 'Run the tests.' },
      {
        role: 'assistant',
        text: '',
        toolCalls: [{ id: 'a', name: 'run_command', arguments: '{"command":"npm test"}' }],
      },
      { role: 'tool', toolCallId: 'a', toolName: 'run_command', text: printed },
      { role: 'assistant', text: 'Done.' },
    ],
    { settings: { longest: 1000 } },
  );
}

test('hides long results', async () => {
  const result = await compact('ok\n'.repeat(500));
  assert.ok(result.kind === 'compacted');
  assert.deepEqual(
    result.history.map(({ hidden }) => hidden),
    [false, false, true, false],
  );
});

test('keeps short results, and what failing tests printed', async () => {
  assert.equal((await compact('ok')).kind, 'unchanged');
  assert.equal((await compact(`FAIL src/retry.test.ts\n${'at line\n'.repeat(500)}`)).kind, 'unchanged');
});
