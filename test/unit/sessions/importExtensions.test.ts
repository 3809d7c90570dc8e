/** Sessions of other extensions of the editor. */

import { describe, expect, it } from 'vitest';
import { readImport } from './readImport.ts';

describe('import from other extensions', () => {
  it('reads Roo’s second form', async () => {
    const { format, messages } = await readImport(
      JSON.stringify({
        version: 2,
        messages: [
          { role: 'user', content: '<user_message>\nFix it\n</user_message>' },
          { type: 'reasoning', encrypted_content: 'x' },
          {
            role: 'assistant',
            content: [
              { type: 'reasoning', text: 'hm' },
              { type: 'tool-call', toolCallId: 't', toolName: 'read_file', input: { path: 'a.ts' } },
            ],
          },
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: 't',
                toolName: 'read_file',
                output: { type: 'text', value: '[ERROR] no' },
              },
            ],
          },
        ],
      }),
    );
    expect([format, messages]).toEqual([
      'cline',
      ['user: Fix it', 'assistant(hm):  +read_file({"path":"a.ts"})', 'tool!: [ERROR] no'],
    ]);
  });

  it('reads Cline and Roo: tags become calls, the environment a reminder', async () => {
    const { format, messages, context } = await readImport(
      JSON.stringify(
        [
          {
            role: 'user',
            content: [
              { type: 'text', text: '<task>\nFix it\n</task>' },
              { type: 'text', text: '<environment_details>\nopen: a.ts\n</environment_details>' },
            ],
            ts: 1,
          },
          {
            role: 'assistant',
            content: [{ type: 'text', text: 'I look.\n<read_file>\n<path>a.ts</path>\n</read_file>' }],
          },
          { role: 'user', content: [{ type: 'text', text: "[read_file for 'a.ts'] Result:\nconst a = 1;" }] },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 't', name: 'execute_command', input: { command: 'ls' } }],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'a.ts' }] }],
          },
          { role: 'user', content: 'what was said', isSummary: true, condenseId: 'x' },
        ],
        null,
        1,
      ),
    );
    expect(format).toBe('cline');
    expect(messages).toEqual([
      'user: Fix it',
      'reminder: <environment_details>\nopen: a.ts\n</environment_details>',
      'assistant: I look. +read_file({"path":"a.ts"})',
      'tool: const a = 1;',
      'assistant:  +execute_command({"command":"ls"})',
      'tool: a.ts',
      'summary: what was said',
    ]);
    expect(context).toEqual(['summary: what was said']);
  });
});
