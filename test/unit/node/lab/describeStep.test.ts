import { expect, it } from 'vitest';
import type { RecordedMessage } from '../../../../src/lab/session.ts';
import { describeStep } from '../../../../src/node/lab/describeStep.ts';
import { pageText } from '../../../../src/node/pages/pageText.ts';
import { t } from '../../../support/inEnglish.ts';

const call = (id: string, name: string, input: object): RecordedMessage => ({
  role: 'assistant',
  content: 'Now the limit.',
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
});
const messages: RecordedMessage[] = [
  { role: 'user', content: 'Go.' },
  call('1', 'Read', { file_path: '/w/src/limits.ts' }),
  { role: 'tool', tool_call_id: '1', content: `${'one\n'.repeat(20)}const retryLimit = 3;\n${'two\n'.repeat(20)}` },
  { role: 'user', content: 'Go on.' },
  call('2', 'Edit', { old_string: 'const retryLimit = 3;\nnext' }),
];
const session = { name: 'mine', messages, compactions: [] };

it('a step shows what was done, what was needed, and where that was said last', { tags: ['B6'] }, () => {
  const miss = { step: 2, message: 4, kind: 'identifier' as const, text: 'retryLimit' };
  const text = pageText(describeStep(session, miss, 'Layered (keptShare 0.2)', t));
  expect(text).toContain('# Step 2');
  expect(text).toContain('- Needed: name: retryLimit');
  expect(text).toContain('- No longer there under: Layered (keptShare 0.2)');
  expect(text).toContain('- Last mentioned: 1 message or result, 6 tokens before');
  expect(text).toContain('It called Edit:');
  expect(text).toContain('"const retryLimit = 3;\nnext"');
  expect(text).toContain('In a result of Read');
  const around = text.slice(text.indexOf('Where it was last mentioned'));
  expect(around).toContain('const retryLimit = 3;');
  expect(around.match(/\bone/g)).toHaveLength(6);
  expect(around.match(/two/g)).toHaveLength(6);
});

it('a step of a session that became shorter meanwhile says so', { tags: ['B6'] }, () => {
  const miss = { step: 9, message: 40, kind: 'path' as const, text: 'src/limits.ts' };
  const text = pageText(describeStep(session, miss, 'none', t));
  expect(text).toContain('This step is no longer in the session.');
});
