import { expect, test } from 'vitest';
import { completeCommand, readCommand } from '../../../webview/page/commands.ts';

const CHOICES = {
  strategies: [
    { id: 'llm-summary', label: 'Summary', description: 'one' },
    { id: 'tool-result-hiding', label: 'Hide results', description: 'two' },
  ],
  prompts: [{ name: 'docs:review', description: 'Reviews a page' }],
  skills: [{ name: 'pdf-forms', description: 'Fills forms' }],
  models: [{ id: 'demo', label: 'Demo', description: 'scripted' }],
  agents: [{ id: 'reviewer', label: 'reviewer', description: 'Reads changes' }],
  modes: [{ id: 'plan', label: 'Plan', description: 'first' }],
};

test('a first word with a slash is a command, and what follows is its text', () => {
  expect(
    [
      '/compact keep the paths',
      '/NEW',
      '/strategy',
      '/what',
      'text /compact',
      '/src/a.ts is broken',
      '/',
      '/PDF-forms a.pdf',
      '/pdf-form',
    ]
      .map((draft) => readCommand(draft, CHOICES.skills))
      .map((typed) => (typed.kind === 'command' ? { ...typed, slash: typed.slash.name } : typed)),
  ).toEqual([
    { kind: 'command', slash: 'compact', rest: 'keep the paths' },
    { kind: 'command', slash: 'newSession', rest: '' },
    { kind: 'command', slash: 'chooseStrategy', rest: '' },
    { kind: 'unknown', name: '/what' },
    { kind: 'text' },
    { kind: 'text' },
    { kind: 'text' },
    { kind: 'text' },
    { kind: 'text' },
  ]);
});

test('names are completed, then strategies, models and modes', () => {
  const drafts = (draft: string) => completeCommand(draft, CHOICES).map((completion) => completion.draft);
  expect([
    drafts('/'),
    drafts('/pdf-'),
    drafts('/co'),
    drafts('/strategy hid'),
    drafts('/model '),
    drafts('/mode '),
    drafts('/agent rev'),
    drafts('hello'),
    drafts('/compact x'),
    drafts('/docs:r'),
  ]).toEqual([
    [
      '/compact ',
      '/undo',
      '/redo',
      '/checkpoint',
      '/restore',
      '/branches',
      '/clear',
      '/new',
      '/history',
      '/export',
      '/strategy ',
      '/model ',
      '/agent ',
      '/mode ',
      '/handoff ',
      '/memory',
      '/approvals',
      '/mcp ',
      '/image',
      '/context',
      '/timeline',
      '/help',
      '/review',
      '/pdf-forms ',
      '/docs:review ',
    ],
    ['/pdf-forms '],
    ['/compact ', '/context'],
    ['/strategy tool-result-hiding'],
    ['/model demo'],
    ['/mode plan'],
    ['/agent reviewer'],
    [],
    [],
    ['/docs:review '],
  ]);
});

test('a prompt file is listed with its folder and what may follow it, also by the end of its name', () => {
  const prompt = { name: 'git:tidy', description: 'Tidies', from: '.claude/commands/git', hint: '[branch]' };
  const choices = { ...CHOICES, skills: [...CHOICES.skills, prompt] };
  expect(completeCommand('/ti', choices).filter(({ tall }) => tall)).toEqual([
    { draft: '/git:tidy ', label: '/git:tidy [branch]', detail: '.claude/commands/git · Tidies', tall: true },
  ]);
  expect(completeCommand('/idy', choices)).toEqual([]);
  expect(readCommand('/git:tidy main', choices.skills)).toEqual({ kind: 'text' });
});
