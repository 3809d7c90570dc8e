/** The command lines that calls run, other programs' tools included. */

import type { ToolCall } from '../context/message.ts';
import { parseObject } from '../json.ts';
import { once } from '../once.ts';

const RUNS = /command|shell|bash|terminal|exec/i;

const LINE_KEYS = ['command', 'cmd', 'script'];

export const runsCommands = (toolName: string): boolean => RUNS.test(toolName);

/** The command that a call is to run, on one line; null for other calls. */
export const commandOf: (call: ToolCall) => string | null = once(findCommand);

function findCommand({ name, arguments: json }: ToolCall): string | null {
  if (!runsCommands(name)) return null;
  const given = parseObject(json) ?? {};
  for (const key of LINE_KEYS) {
    const value = given[key];
    const text = Array.isArray(value) ? value.at(-1) : value;
    if (typeof text === 'string' && text.trim() !== '') return text.replace(/\s+/g, ' ').trim();
  }
  return null;
}
