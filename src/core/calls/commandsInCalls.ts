/** The command lines that calls run, other programs' tools included, and what a line is for. */

import type { ToolCall } from '../context/message.ts';
import { parseObject } from '../json.ts';
import { once } from '../once.ts';

const RUNS = /command|shell|bash|terminal|exec/i;

const LINE_KEYS = ['command', 'cmd', 'script'];

export const runsCommands = (toolName: string): boolean => RUNS.test(toolName);

/** The command that a call is to run, on one line; null for other calls. */
export const commandOf: (call: ToolCall) => string | null = once(findCommand);

function findCommand(call: ToolCall): string | null {
  return scriptOf(call)?.replace(/\s+/g, ' ').trim() ?? null;
}

/** The same with its line breaks. */
export function scriptOf({ name, arguments: json }: ToolCall): string | null {
  if (!runsCommands(name)) return null;
  const given = parseObject(json) ?? {};
  for (const key of LINE_KEYS) {
    const value = given[key];
    const text = Array.isArray(value) ? value.at(-1) : value;
    if (typeof text === 'string' && text.trim() !== '') return text;
  }
  return null;
}

/** Read-only commands: how they ended says little. */
const LOOKS =
  /^(?:cd [^&;]{0,300}(?:&&|;) *)?(?:sed -n|cat(?! ?>)|head|tail|nl|less|bat|ls|pwd|find|grep|rg|wc|echo|which|git (?:status|diff|log|show|grep))\b/;

/** It begins with looking at something. */
export const looks = (command: string): boolean => LOOKS.test(command);

const SHOWS =
  /^(?:cd|sed -n|cat(?! *>)|head|tail|nl|less|bat|ls|pwd|find|grep|rg|wc|echo|printf|which|sort|uniq|awk|jq|tr|cut|xargs|sed(?! -i)|git (?:-C \S+ )?(?:status|diff|log|show|grep|blame))\b/;

const QUOTED = /'[^']*'|"(?:\\.|[^"\\])*"/gs;

/** All of it only shows what files, their history and folders hold, which may speak of anything. */
export const onlyShows = (command: string): boolean =>
  command
    .replace(QUOTED, 'Q')
    .split(/&&|\|\||[;|\n]/)
    .every((part) => part.trim() === '' || SHOWS.test(part.trim()));
