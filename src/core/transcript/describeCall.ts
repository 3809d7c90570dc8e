/**
 * What a tool call asks for: in one line, and as a person would look at it. Arguments are read as the model wrote them,
 * so malformed JSON is shown as it is.
 */

import type { RowOf } from '../../protocol/rows.ts';
import type { ToolCall } from '../context/message.ts';
import { type Json, parseObject } from '../json.ts';
import { diffTexts } from '../tools/text/diffTexts.ts';
import type { CallDetail } from '../tools/tool.ts';
import { toolOf } from '../tools/toolList.ts';
import { cut, DIFF, EXCERPT, LABEL } from './cut.ts';

type ToolRow = RowOf<'tool'>;

/** Arguments nested deeper are shown as they were written: to read or indent them takes a stack as deep as they are. */
const MAX_NESTING = 64;

/** Arguments that name what a call is about, the most telling one first. */
const TITLE_KEYS = ['command', 'pattern', 'query', 'path', 'file_path', 'url', 'name', 'title'];

export function describeCall(call: ToolCall, result: string | null): Pick<ToolRow, 'title' | 'arguments' | 'detail'> {
  const input = isNestedDeeper(call.arguments, MAX_NESTING) ? null : parseObject(call.arguments || '{}');
  if (!input)
    return {
      title: oneLine(call.arguments),
      arguments: cut(call.arguments, EXCERPT),
      detail: { kind: 'none' },
    };
  const pretty = JSON.stringify(input, null, 2);
  return {
    title: oneLine(ownTitle(call.name, input) ?? titleOf(input)),
    arguments: cut(pretty, EXCERPT),
    detail: detailOf(call.name, input, result),
  };
}

/** Counts brackets outside of strings, so it also holds for what is not JSON. */
function isNestedDeeper(text: string, most: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quoted && char === '\\') at++;
    else if (char === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth > most) return true;
  }
  return false;
}

function ownTitle(name: string, input: unknown): string | null {
  const tool = toolOf(name);
  const checked = tool?.title && tool.input.safeParse(input);
  return checked?.success ? (tool?.title?.(checked.data) ?? null) : null;
}

function titleOf(input: Json): string {
  if (typeof input.path === 'string' && typeof input.new_path === 'string') {
    return oneLine(`${input.path} → ${input.new_path}`);
  }
  const named = TITLE_KEYS.map((key) => textOf(input[key])).find((text) => text !== '');
  return (
    named ??
    Object.values(input)
      .map(textOf)
      .find((text) => text !== '') ??
    ''
  );
}

/** A command may also be given as a list of words. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value.join(' ') : '';
}

const oneLine = (text: string) => cut(text.replace(/\s+/g, ' ').trim(), LABEL);

function detailOf(name: string, input: Json, result: string | null): ToolRow['detail'] {
  const detail = describeOwn(name, input) ?? describeForeign(input);
  switch (detail?.kind) {
    case 'edit':
      return editDetail(detail);
    case 'command':
      return {
        ...{ kind: 'command', command: cut(detail.command, EXCERPT), exitCode: exitCodeOf(result) },
        ...(detail.background ? { background: backgroundIdOf(result) } : {}),
      };
    case undefined:
      return { kind: 'none' };
  }
}

function describeOwn(name: string, input: unknown): CallDetail | null {
  const tool = toolOf(name);
  const checked = tool?.describe && tool.input.safeParse(input);
  return checked?.success ? (tool?.describe?.(checked.data) ?? null) : null;
}

/** Imported sessions have tools of other names, and a model writes arguments that do not fit: they are told by their names. */
function describeForeign(input: Json): CallDetail | null {
  const { old_string: before, new_string: after, command } = input;
  const path = [input.path, input.file_path].find((value) => typeof value === 'string') ?? '';
  if (typeof before === 'string' && typeof after === 'string')
    return { kind: 'edit', path, pieces: [{ before, after }] };
  return typeof command === 'string' ? { kind: 'command', command } : null;
}

/** The texts are parts of a file, so a missing newline at their end says nothing about the file. */
function editDetail({ path, pieces }: Extract<CallDetail, { kind: 'edit' }>): ToolRow['detail'] {
  const whole = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
  const diffs = pieces.map(({ before, after }) => diffTexts(whole(before), whole(after)));
  const sum = (count: 'added' | 'removed') => diffs.reduce((total, diff) => total + diff[count], 0);
  const diff = diffs.map((each) => each.diff).join('');
  return { kind: 'edit', path: cut(path, LABEL), added: sum('added'), removed: sum('removed'), diff: cut(diff, DIFF) };
}

/** The result of a command begins with its exit code. */
function exitCodeOf(result: string | null): number | null {
  const code = /^exit code (-?\d+)/.exec(result ?? '')?.[1];
  return code === undefined ? null : Number(code);
}

/** So begins the result of a command that runs on; empty before there is one. */
function backgroundIdOf(result: string | null): string {
  return /^running in the background as (bg-[0-9a-f]+)/.exec(result ?? '')?.[1] ?? '';
}
