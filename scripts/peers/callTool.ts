/** One step of the script as a call of a tool that the agent offers: by the tool's name, with the arguments it knows. */

import { posix } from 'node:path';
import type { Json } from '../../src/core/json.ts';
import { objectOf } from '../../src/core/json.ts';
import type { OfferedTool } from './modelRequest.ts';
import type { Edit, Step } from './session.ts';

export interface ScriptedCall {
  readonly tool: string;
  /** A text for a tool that takes free text. */
  readonly input: Json | string;
}

const SHELLS = 'bash run_shell_command exec_command shell_command shell execute_command run_command run'.split(' ');
const READERS = 'read read_file view'.split(' ');
const EDITORS = 'edit edit_file replace str_replace apply_patch'.split(' ');

/** Throws when the agent offers no tool for the step, and no shell. `folder` is the workspace. */
export function callTool(step: Step, tools: readonly OfferedTool[], folder: string): ScriptedCall {
  const find = (names: readonly string[]) =>
    names.map((name) => tools.find((tool) => tool.name === name)).find((tool) => tool !== undefined);
  const run = (command: string): ScriptedCall => {
    const shell = find(SHELLS);
    if (!shell) throw new Error(`none of its tools runs a command: ${tools.map(({ name }) => name).join(', ')}`);
    const isList = objectOf(shell.parameters?.command).type === 'array';
    return fill(shell, {
      command: isList ? ['sh', '-c', command] : command,
      cmd: command,
      description: 'The next step',
      is_background: false,
    });
  };
  if (step.kind === 'run') return run(step.command);
  const path = posix.join(folder, step.path);
  const paths = { path, filePath: path, file_path: path, absolute_path: path };
  if (step.kind === 'read') {
    const reader = find(READERS);
    return reader ? fill(reader, paths) : run(`cat ${step.path}`);
  }
  const editor = find(EDITORS);
  const patch = patchOf(step);
  if (!editor) return run(`apply_patch <<'END'\n${patch}\nEND`);
  if (!editor.parameters) return { tool: editor.name, input: patch };
  const { before, after } = step;
  return fill(editor, {
    ...paths,
    oldString: before,
    old_string: before,
    old_text: before,
    oldText: before,
    newString: after,
    new_string: after,
    new_text: after,
    newText: after,
    edits: [{ oldText: before, newText: after }],
    input: patch,
    patch,
    patchText: patch,
  });
}

function fill({ name, parameters }: OfferedTool, known: Json): ScriptedCall {
  const input = Object.fromEntries(Object.entries(known).filter(([key]) => parameters && key in parameters));
  return { tool: name, input };
}

const patchOf = ({ path, before, after }: Edit): string =>
  `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch`;
