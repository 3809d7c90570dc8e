/** One entry of a table or list that cannot be used leaves the others in force, and is named with its place. */

import { describe, expect, it } from 'vitest';
import { readCompactionSettings } from '../../../src/core/compaction/settings/compactionSettings.ts';
import { RULES } from '../../../src/core/compaction/strategies/selectiveRules.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { readAgentSettings } from '../../../src/node/agentSettings.ts';

function readAll(key: string, value: unknown) {
  const read = (asked: string) => ({ value: asked === key ? value : undefined, explicit: asked === key });
  const agent = readAgentSettings(read);
  const compaction = readCompactionSettings(
    read,
    () => ({}),
    key.split('.')[1] === 'pruneThenSummary' ? 'prune-then-summary' : 'selective',
  );
  const problems = [...agent.problems, ...compaction.problems];
  expect(problems.every((problem) => problem.key === `palimpsest.${key}`)).toBe(true);
  return {
    agent: agent.settings,
    compaction: compaction.settings,
    said: problems.map(({ message }) => inEnglish(message)),
  };
}

const WORK = { id: 'work', baseUrl: 'https://a.example/v1', models: ['m'] };

describe('an entry that cannot be used', () => {
  it.each<[string, unknown, unknown, (read: ReturnType<typeof readAll>) => unknown, readonly RegExp[]]>([
    [
      'compaction.selective.rules',
      { toolResults: '10 drop', user: '5 drop', assistant: 'whenever', systemPrompt: '1 drop' },
      { user: '5 drop' },
      ({ compaction }) => compaction.section.rules,
      [
        /"toolResults".*There is no kind of message toolResults\. There are: toolResult, .*mention\. The other entries are used\.$/,
        /"assistant":"whenever".*does not have the right form\./,
        /"systemPrompt".*their rule can only be none\./,
      ],
    ],
    [
      'compaction.trigger.perModel',
      { 'gpt-*': 'ratio 0.6', slow: 'speed 3' },
      { 'gpt-*': 'ratio 0.6' },
      ({ compaction }) => compaction.trigger.perModel,
      [/"slow":"speed 3".*There is no setting speed here/],
    ],
    [
      'compaction.trigger.whenItPays',
      { layred: 'share 0.5', 'acme.x/y': 'share 0.5', '*': 'factor 2', selective: 'share 9' },
      { layred: 'share 0.5', 'acme.x/y': 'share 0.5', '*': 'factor 2' },
      ({ compaction }) => compaction.trigger.whenItPays,
      [/"selective":"share 9".*at most 1\./, /"layred".*There is no strategy layred\. There are: layered, /],
    ],
    [
      'compaction.pruneThenSummary.toolThresholds',
      { read_file: 'never', run_command: 'often' },
      { read_file: 'never' },
      ({ compaction }) => compaction.section.toolThresholds,
      [/"run_command":"often"/],
    ],
    [
      'compaction.keep.protectedTools',
      ['skill', 7],
      ['skill'],
      ({ compaction }) => compaction.keep.protectedTools,
      [/cannot be used: 7\. At \[1\]: It must be a text\./],
    ],
    [
      'agent.output.perTool',
      { run_command: 'maxLines 400', read_file: 'maxLines 1' },
      { run_command: 'maxLines 400' },
      ({ agent }) => agent.output.perTool,
      [/"read_file":"maxLines 1".*at least 10/],
    ],
    [
      'agent.budgets',
      { session: 5, sesion: 1, subagent: 'x' },
      { session: 5 },
      ({ agent }) => agent.agent.budgets,
      [/sesion is not known there\./, /"subagent":"x".*It must be a number\./],
    ],
    [
      'hooks',
      [
        { on: 'afterTool', command: 'a' },
        { on: 'afterTool', command: 'b', tool: [] },
      ],
      ['a'],
      ({ agent }) => agent.hooks.map(({ command }) => command),
      [/At \[1\]: tool is not known there\./],
    ],
    [
      'endpoints',
      [WORK, { ...WORK, id: 'other', models: ['n', { name: 'x', window: 1 }, 'o'] }],
      [['m'], ['n', 'o']],
      ({ agent }) => agent.endpoints.map(({ models }) => models),
      [
        /cannot be used: \{"name":"x","window":1\}\. At \[1\]\.models\[1\]: window is not known there\. The other entries/,
      ],
    ],
    [
      'mcp.servers',
      { a: { command: 'x' }, b: { command: 'y', env: { A: 1 } } },
      ['a'],
      ({ agent }) => Object.keys(agent.mcp.servers),
      [/"b".*At b\.env\.A: It must be a text\./],
    ],
  ])('of %s leaves the others in force', (key, value, kept, pick, reasons) => {
    const read = readAll(key, value);
    expect(pick(read)).toEqual(kept);
    expect(read.said).toEqual(reasons.map((reason) => expect.stringMatching(reason)));
  });

  it('where none can be used, the default is in force, and the message says so', () => {
    const { compaction, said } = readAll('compaction.selective.rules', { a: '1 drop', user: 'x' });
    expect(compaction.section.rules).toEqual(RULES.default);
    expect(said).toEqual([
      expect.stringMatching(
        /has the value .*At user: .*At a: There is no kind of message a\..*The default .* is used\.$/,
      ),
    ]);
  });
});
