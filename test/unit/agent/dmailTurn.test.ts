/** D-Mail and file keeping in the loop: when they happen, and what they leave in the journal. */

import { describe, expect, it } from 'vitest';
import { type DMail, DMailBox } from '../../../src/core/agent/parts/dmail.ts';
import { runTurn } from '../../../src/core/agent/runTurn.ts';
import type { KeptCall } from '../../../src/core/checkpoints/fileKeeper.ts';
import { listBranches } from '../../../src/core/journal/branches.ts';
import { sendMessageToPast } from '../../../src/core/tools/builtIn/sendMessageToPast.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { lookTool, turnHarness } from '../../support/turnHarness.ts';

const look = (at: string) => ['look', { at }] as const;
const mail = (checkpoint: number) => ['send_message_to_past', { checkpoint, message: 'Nothing is there.' }] as const;

describe('a turn with D-Mail', () => {
  it('sets a checkpoint before each request and tells it; delivers when every call is answered', {
    tags: ['M2', 'M4'],
  }, async () => {
    const turn = await turnHarness([{ calls: [look('a')] }, { calls: [mail(1), look('b')] }, 'I know already.'], {
      settings: { tellCheckpoints: true, dmail: true },
    });
    const dmail = new DMailBox(turn.journal, 1, () => null);
    const tools = () => [lookTool, sendMessageToPast] as Tool[];
    const session = { ...turn.parts.toolPorts.session, scheduleDMail: (mail: DMail) => dmail.schedule(mail) };
    const toolPorts = { ...turn.parts.toolPorts, session };
    const message = { role: 'user', kind: 'user', text: 'Find it' } as const;
    Object.assign(turn.parts, { tools, toolPorts, dmail });
    const outcome = await runTurn(message, turn.parts, turn.abort.signal);
    expect(outcome).toEqual({ kind: 'done' });
    expect(turn.story().map((line) => line.split('\n')[0])).toEqual([
      'checkpoint',
      'user: CHECKPOINT 0',
      'user: Find it',
      'checkpoint',
      expect.stringMatching(/^user: Message from your later self, sent back to checkpoint 1\./),
      'note: The agent went back to checkpoint 1 and left itself a message there.',
      'checkpoint',
      'user: CHECKPOINT 3',
      'assistant: I know already.',
      'usage',
    ]);
    const [left] = listBranches(turn.journal);
    expect(left).toMatchObject({ cause: 'dmail', parts: 7 });
    // What the answer before the move reported says nothing about the context after it.
    expect(turn.asked.filter((point) => point === 'afterResponse').length).toBe(2);
  });

  it('keeps what files held after the approval and before the call, and looks again when it has ended', async () => {
    const turn = await turnHarness([{ calls: [['write', { text: 'x' }]] }, 'Done.'], {
      answers: [{ kind: 'allow', remember: 'no' }],
    });
    const seen: string[] = [];
    const keeper = {
      before: async ({ toolClass, changes }: KeptCall) => {
        seen.push(
          `before ${toolClass} ${changes} after ${turn.approvals.length} question, ${turn.written.length} written`,
        );
      },
      after: async () => {
        seen.push(`after, ${turn.written.length} written`);
      },
    };
    Object.assign(turn.parts, { keeper });
    await turn.send('Write it');
    expect(seen).toEqual(['before write file.txt after 1 question, 0 written', 'after, 1 written']);
  });

  it('keeps nothing for a call that was declined', async () => {
    const turn = await turnHarness([{ calls: [['write', { text: 'x' }]] }, 'Well.'], { answers: [{ kind: 'deny' }] });
    const seen: string[] = [];
    const keeper = { before: async () => void seen.push('before'), after: async () => void seen.push('after') };
    Object.assign(turn.parts, { keeper });
    await turn.send('Write it');
    expect(seen).toEqual([]);
  });
});
