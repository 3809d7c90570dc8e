/** The session that the pictures show: somebody has the waiting times of a small queue mended, in the sample workspace. */

import { join } from 'node:path';
import { ROOT } from '../../../scripts/paths.ts';
import { type CachingServer, startCachingServer } from '../../support/modelServer/cachingServer.ts';
import type { HostOptions } from '../support/host.ts';

export const SAMPLE = join(ROOT, 'scripts/sample-workspace');
/** The folder's own settings, which choose the theme of a picture, are no part of the story. */
export const PLAIN = { 'files.exclude': { '**/.vscode': true } };
export const MODEL = 'qwen3-coder-30b';

export interface Story {
  readonly server: CachingServer;
  readonly host: HostOptions;
}

/** `window` in tokens. The prices are made up, so that costs are shown. */
export async function startStory(window = 24_000, settings: HostOptions['settings'] = {}): Promise<Story> {
  const server = await startCachingServer({ clock: { now: Date.now } });
  const price = { input: 1.2, output: 4.8, cacheRead: 0.12 };
  const models = [
    { name: MODEL, contextWindow: window, price },
    { name: 'qwen3-coder-480b' },
    { name: 'devstral-small' },
  ];
  return {
    server,
    host: {
      folder: SAMPLE,
      settings: {
        'palimpsest.endpoints': [{ id: 'local', baseUrl: server.baseUrl, models }],
        'palimpsest.model': `${MODEL}@local`,
        ...PLAIN,
        ...settings,
      },
    },
  };
}

const call = (name: string, input: Readonly<Record<string, unknown>>) => ({ name, arguments: input });
const read = (path: string) => call('read_file', { path });

export const FIRST_MESSAGE = 'The retry test fails. Find out why, and mend it.';

const todos = (done: number) =>
  [
    'Read the retry code and its test',
    'Double the wait after each failure',
    'Run the tests',
    'Update docs/retry.md',
  ].map((text, at) => ({ text, state: at < done ? 'done' : at === done ? 'doing' : 'open' }));

export const READING = [
  {
    text: 'I’ll read the code and its test first.',
    calls: ['src/retry.js', 'test/retry.test.js', 'src/clock.js', 'src/delivery.js', 'docs/retry.md'].map(read),
  },
  { text: '', calls: [call('search_text', { pattern: 'waitAfter' }), call('write_todos', { todos: todos(1) })] },
];

export const EDIT = {
  text: 'The wait grows by 200 ms a failure, but the test expects it to **double**: 100, 200, 400, 800. `waitAfter` multiplies where it should raise to a power.',
  calls: [
    call('edit_file', {
      path: 'src/retry.js',
      edits: [
        {
          old_string: '  const wait = FIRST_WAIT * 2 * failures;',
          new_string: '  const wait = FIRST_WAIT * 2 ** (failures - 1);',
        },
      ],
    }),
  ],
};

export const COMMAND = { text: 'Now the tests.', calls: [call('run_command', { command: 'npm test' })] };

export const ANSWER = {
  text: [
    'The retry test passes. `waitAfter` in [src/retry.js](src/retry.js) now doubles the wait after each failure:',
    '```js\nexport function waitAfter(failures) {\n  const wait = FIRST_WAIT * 2 ** (failures - 1);\n  return Math.min(wait, LONGEST_WAIT);\n}\n```',
    '| failures | before | now |\n| ---: | ---: | ---: |\n| 1 | 200 ms | 100 ms |\n| 2 | 400 ms | 200 ms |\n| 4 | 800 ms | 800 ms |\n| 7 | 1,400 ms | 5,000 ms |',
    'Two things are left:\n\n- [x] the wait itself\n- [ ] `docs/retry.md` still describes the old numbers',
  ].join('\n\n'),
};

export const STREAMED = {
  text: `${[
    'A message that is given up stays in the queue’s map of taken messages, because `deliverAll` settles it as if it had been delivered.',
    'There are two ways to mend that:',
    '1. **Give it back.** `queue.giveBack(message.id)` puts it at the end of the line, and the next run tries again.\n2. **Keep it apart.** A second list of abandoned messages, which somebody looks at.',
    'I would take the second one. Nothing is sent twice, and the reason for each failure stays with its message',
  ].join('\n\n')}.`,
  pieceDelayMs: 250,
};

export const QUESTION = {
  text: '',
  calls: [
    call('ask_user', {
      question: 'What should happen to a message that was given up?',
      choices: [{ label: 'Give it back to the queue' }, { label: 'Keep it in a list of its own' }],
    }),
  ],
};

export const PLAN = {
  text: '',
  calls: [
    call('present_plan', {
      plan: '# Keep abandoned messages\n\n1. Add `Queue.abandon(id, reason)` to `src/queue.js`\n2. Call it in `deliverAll` instead of `settle`\n3. Test that nothing is sent twice',
    }),
  ],
};

/** Reads every file again, so that there is something to compact. */
export const MANY_READS = [
  ...['src/queue.js', 'src/delivery.js', 'test/delivery.test.js', 'docs/decisions.md', 'README.md'].map((path) => ({
    text: '',
    calls: [read(path), read('src/queue.js')],
  })),
  { text: 'The queue, its delivery and both tests agree on how a message is settled.' },
];

export const SUMMARY = {
  text: [
    '<summary>',
    '## Goal\nThe retry test fails; find out why and mend it.',
    '## Done\n- `src/retry.js`: `waitAfter` doubles the wait (`FIRST_WAIT * 2 ** (failures - 1)`)\n- `npm test`: 6 pass',
    '## Open\n- `docs/retry.md` still describes the old numbers\n- abandoned messages are settled as if they had been delivered (`src/delivery.js`)',
    '</summary>',
  ].join('\n\n'),
};
