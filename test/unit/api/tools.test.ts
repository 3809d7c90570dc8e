import { describe, expect, expectTypeOf, it } from 'vitest';
import { BUILT_IN_TOOLS, type BuiltInToolArguments, type BuiltInToolName } from '../../../src/api/tools.ts';
import type { findReferences, findSymbols } from '../../../src/core/tools/builtIn/codeTools.ts';
import type { editFile, writeFile } from '../../../src/core/tools/builtIn/editFile.ts';
import type { fetchUrl } from '../../../src/core/tools/builtIn/fetchUrl.ts';
import type { findFiles, listFiles, searchText } from '../../../src/core/tools/builtIn/findFiles.ts';
import type { gitChanges } from '../../../src/core/tools/builtIn/gitChanges.ts';
import type { reportToPast, sendMessageToPast } from '../../../src/core/tools/builtIn/messagesToPast.ts';
import type { deleteFile, moveFile } from '../../../src/core/tools/builtIn/moveFile.ts';
import type { readFile } from '../../../src/core/tools/builtIn/readFile.ts';
import type { readProblems } from '../../../src/core/tools/builtIn/readProblems.ts';
import type { recall } from '../../../src/core/tools/builtIn/recall.ts';
import type { readOutput, runCommand, stopCommand } from '../../../src/core/tools/builtIn/runCommand.ts';
import type {
  askUser,
  compactContext,
  presentPlan,
  task,
  useSkill,
  writeTodos,
} from '../../../src/core/tools/builtIn/sessionTools.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { offerTools, TOOLS, toolOf } from '../../../src/core/tools/toolList.ts';
import { createMemoryGit } from '../../support/ports/memoryGit.ts';
import { createMemoryLanguage } from '../../support/ports/memoryLanguage.ts';
import { createMemoryWeb } from '../../support/ports/memoryWeb.ts';
import { NO_BACKGROUND } from '../../support/ports/noBackground.ts';

type Whole<T> = { -readonly [K in keyof T]-?: Items<NonNullable<T[K]>> };
type Items<T> = T extends readonly (infer Item extends object)[] ? Whole<Item>[] : T;
type InputOf<T> = T extends Tool<infer Input> ? Whole<Input> : never;
type Published = { [N in BuiltInToolName]: Whole<BuiltInToolArguments[N]> };

/** Only the arguments that a call must have. */
type Needed<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] };
const least: { [N in BuiltInToolName]: Needed<BuiltInToolArguments[N]> } = {
  read_file: { path: 'a.ts' },
  list_files: {},
  search_text: { pattern: 'x' },
  edit_file: { path: 'a.ts', edits: [{ old_string: 'a', new_string: 'b' }] },
  write_file: { path: 'a.ts', content: '' },
  run_command: { command: 'ls' },
  move_file: { path: 'a.ts', new_path: 'b.ts' },
  delete_file: { path: 'a.ts' },
  read_problems: {},
  find_symbols: {},
  find_references: { path: 'a.ts', symbol: 'a' },
  git_changes: {},
  read_output: { id: 'bg-1' },
  stop_command: { id: 'bg-1' },
  write_todos: { todos: [] },
  present_plan: { plan: 'x' },
  ask_user: { question: 'x' },
  find_files: { glob: '*.ts' },
  fetch_url: { url: 'https://host.example/' },
  recall: {},
  compact_context: {},
  send_message_to_past: { checkpoint: 0, message: 'x' },
  task: { title: 'x', prompt: 'x' },
  use_skill: {},
  report_to_past: { report: 'x' },
};

const NOBODY = { ask: async () => ({ kind: 'refuse', reason: '' }) as const };

describe('the tools as other extensions see them', () => {
  it('their names are those that a model is told, in that order', { tags: ['B7'] }, () => {
    const settings = {
      recall: { tokensPerTurn: 1 },
      agentTool: true,
      dmail: true,
      subagents: true,
      skills: true,
      reports: true,
    };
    expect(
      offerTools(TOOLS, 'trusted', settings, {
        language: createMemoryLanguage(),
        git: createMemoryGit(),
        background: NO_BACKGROUND,
        questions: NOBODY,
        web: createMemoryWeb(),
      }).map(({ name }) => name),
    ).toEqual(BUILT_IN_TOOLS);
  });

  it('the types of their arguments are those of the tools', { tags: ['B7'] }, () => {
    expectTypeOf<Published>().toEqualTypeOf<{
      read_file: InputOf<typeof readFile>;
      list_files: InputOf<typeof listFiles>;
      search_text: InputOf<typeof searchText>;
      edit_file: InputOf<typeof editFile>;
      write_file: InputOf<typeof writeFile>;
      run_command: InputOf<typeof runCommand>;
      move_file: InputOf<typeof moveFile>;
      delete_file: InputOf<typeof deleteFile>;
      read_problems: InputOf<typeof readProblems>;
      find_symbols: InputOf<typeof findSymbols>;
      find_references: InputOf<typeof findReferences>;
      git_changes: InputOf<typeof gitChanges>;
      read_output: InputOf<typeof readOutput>;
      stop_command: InputOf<typeof stopCommand>;
      write_todos: InputOf<typeof writeTodos>;
      present_plan: InputOf<typeof presentPlan>;
      ask_user: InputOf<typeof askUser>;
      find_files: InputOf<typeof findFiles>;
      fetch_url: InputOf<typeof fetchUrl>;
      recall: InputOf<typeof recall>;
      compact_context: InputOf<typeof compactContext>;
      send_message_to_past: InputOf<typeof sendMessageToPast>;
      task: InputOf<typeof task>;
      use_skill: InputOf<typeof useSkill>;
      report_to_past: InputOf<typeof reportToPast>;
    }>();
  });

  it.each(BUILT_IN_TOOLS)('%s needs the arguments that its type needs, and no other', { tags: ['B7'] }, (name) => {
    const accepts = (given: object) => toolOf(name)?.input.safeParse(given).success;
    expect(accepts(least[name])).toBe(true);
    for (const left of Object.keys(least[name])) {
      const rest = Object.fromEntries(Object.entries(least[name]).filter(([key]) => key !== left));
      expect(accepts(rest), `${name} without ${left}`).toBe(false);
    }
  });
});
