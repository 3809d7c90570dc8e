/**
 * The model server of the tests with an endless script over the sample workspace, for `npm start -- --scripted`. It
 * answers by how far the turn has come, never by what was asked, and says so.
 */

import type { ModelRequestSeen } from '../../test/support/modelServer.ts';
import type { AnswerReply, ReplyCall } from '../../test/support/modelServerReply.ts';

export interface ScriptedModel {
  readonly baseUrl: string;
  readonly name: string;
  /** In tokens. */
  readonly window: number;
  stop(): Promise<void>;
}

const NAME = 'scripted';
/** Small, so that a few turns lead to a compaction. */
const WINDOW = 16_000;
/** Slow enough to be seen streaming. */
const PIECE_DELAY_MS = 15;

export interface Step {
  readonly text: string;
  readonly calls: readonly ReplyCall[];
}

/** The steps of a turn; the last one, without calls, ends it. */
export const STEPS: readonly Step[] = [
  {
    text: 'This answer comes from a script. It looks at the folder first.',
    calls: [{ name: 'list_files', arguments: { path: '.', depth: 3 } }],
  },
  {
    text: 'Now the code and the notes about it.',
    calls: [
      { name: 'read_file', arguments: { path: 'src/retry.js' } },
      { name: 'read_file', arguments: { path: 'docs/retry.md' } },
      { name: 'search_text', arguments: { pattern: 'waitAfter' } },
    ],
  },
  {
    text: 'The notes say that the wait doubles; the code adds the same amount each time.',
    calls: [
      {
        name: 'edit_file',
        arguments: {
          path: 'src/retry.js',
          old_string: 'FIRST_WAIT * 2 * failures',
          new_string: 'FIRST_WAIT * 2 ** (failures - 1)',
        },
      },
    ],
  },
  {
    text: 'The tests say whether that was it.',
    calls: [{ name: 'run_command', arguments: { command: 'node --test' } }],
  },
  {
    text: 'That is the end of the script. Each turn plays it again: the edit then finds nothing left to replace.',
    calls: [],
  },
];

export async function startScriptedModel(): Promise<ScriptedModel> {
  const { startModelServer } = await import('../../test/support/modelServer.ts');
  const server = await startModelServer({ script: chooseReply, models: [{ id: NAME, window: WINDOW }] });
  return { baseUrl: server.baseUrl, name: NAME, window: WINDOW, stop: () => server.close() };
}

function chooseReply({ body }: ModelRequestSeen): AnswerReply {
  const roles = rolesOf(body.messages);
  // A request without tools asks for a summary.
  if (body.tools === undefined) return answer({ text: `Scripted summary of ${roles.length} messages.`, calls: [] });
  const step = roles.slice(roles.lastIndexOf('user')).filter((role) => role === 'assistant').length;
  return answer(STEPS[Math.min(step, STEPS.length - 1)] ?? { text: 'The script is empty.', calls: [] });
}

function answer(step: Step): AnswerReply {
  return { kind: 'answer', pieceDelayMs: PIECE_DELAY_MS, ...step };
}

function rolesOf(messages: unknown): string[] {
  return Array.isArray(messages) ? messages.map(({ role }) => String(role)) : [];
}
