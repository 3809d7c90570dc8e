/**
 * What a tool call asks for, in one line and as a person would look at it. It reads arguments as a model wrote them:
 * malformed JSON is shown as it is.
 */

import type { RowOf } from '../../protocol/rows.ts';
import type { ToolCall } from '../context/message.ts';
import { cut, DIFF, EXCERPT, LABEL } from './cut.ts';
import { diffTexts } from './unifiedDiff.ts';

type ToolRow = RowOf<'tool'>;

/** Arguments that name what a call is about, the telling one first. */
const TITLE_KEYS = ['command', 'pattern', 'query', 'path', 'file_path', 'url', 'name'];

export function describeCall(call: ToolCall, result: string | null): Pick<ToolRow, 'title' | 'arguments' | 'detail'> {
  const input = parseObject(call.arguments);
  if (!input)
    return {
      title: oneLine(call.arguments),
      arguments: cut(call.arguments, EXCERPT),
      detail: { kind: 'none' },
    };
  const pretty = JSON.stringify(input, null, 2);
  return {
    title: titleOf(input),
    arguments: cut(pretty, EXCERPT),
    detail: detailOf(call.name, input, result),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function titleOf(input: Readonly<Record<string, unknown>>): string {
  const named = TITLE_KEYS.map((key) => textOf(input[key])).find((text) => text !== '');
  return oneLine(
    named ??
      Object.values(input)
        .map(textOf)
        .find((text) => text !== '') ??
      '',
  );
}

/** A command may also stand as the list of its words. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value.join(' ') : '';
}

const oneLine = (text: string) => cut(text.replace(/\s+/g, ' ').trim(), LABEL);

/** By the arguments where they tell enough: imported sessions have tools of other names. */
function detailOf(name: string, input: Readonly<Record<string, unknown>>, result: string | null): ToolRow['detail'] {
  const { old_string: before, new_string: after, content, command } = input;
  const path = [input.path, input.file_path].find((value) => typeof value === 'string') ?? '';
  if (typeof before === 'string' && typeof after === 'string') return editDetail(path, before, after);
  if (name === 'write_file' && typeof content === 'string') return editDetail(path, '', content);
  if (typeof command === 'string') {
    return { kind: 'command', command: cut(command, EXCERPT), exitCode: exitCodeOf(result) };
  }
  return { kind: 'none' };
}

/** The texts are pieces of a file, so a missing line end says nothing about the file's. */
function editDetail(path: string, before: string, after: string): ToolRow['detail'] {
  const whole = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
  const { diff, added, removed } = diffTexts(whole(before), whole(after));
  return { kind: 'edit', path: cut(path, LABEL), added, removed, diff: cut(diff, DIFF) };
}

/** The command tool begins its result with the code. */
function exitCodeOf(result: string | null): number | null {
  const code = /^exit code (-?\d+)/.exec(result ?? '')?.[1];
  return code === undefined ? null : Number(code);
}
