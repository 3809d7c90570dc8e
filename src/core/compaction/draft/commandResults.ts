/** The results of commands, from the calls of command tools and their results, including other programs' recordings. */

import type { ToolCall } from '../../context/message.ts';
import { parseObject } from '../../json.ts';
import { once } from './once.ts';
import { isHidden, type SessionResult } from './sessionMessages.ts';

const RUNS = /command|shell|bash|terminal|exec/i;

const LINE_KEYS = ['command', 'cmd', 'script'];

/** As common tools write it, at the beginning of their results. */
const EXIT_CODE = /^(?:Process |Command )?(?:exited with (?:exit )?code|exit[_ ]?code|exit status):? (-?\d{1,5})\b/im;

const LOOKED_AT = 400;

/** The command that a call runs, on one line; null for other calls. */
export const commandOf = once(findCommand);

function findCommand({ name, arguments: json }: ToolCall): string | null {
  if (!RUNS.test(name)) return null;
  const given = parseObject(json) ?? {};
  for (const key of LINE_KEYS) {
    const value = given[key];
    const text = Array.isArray(value) ? value.at(-1) : value;
    if (typeof text === 'string' && text.trim() !== '') return text.replace(/\s+/g, ' ').trim();
  }
  return null;
}

/** The exit code in a result; null where it has none, or is hidden behind a stub. */
function exitCodeOf(message: SessionResult): number | null {
  const [, code] = isHidden(message) ? [] : (EXIT_CODE.exec(message.text.slice(0, LOOKED_AT)) ?? []);
  return code === undefined ? null : Number(code);
}

/** Either the tool or its command reported failure. */
export const hasFailed = once((message: SessionResult): boolean => message.isError || (exitCodeOf(message) ?? 0) !== 0);

/** The outcome of a command, as the ledger words it. */
export function outcomeOf(message: SessionResult): string {
  const code = exitCodeOf(message);
  if (code !== null && code !== 0) return `command failed with exit code ${code}`;
  if (message.isError) return 'command failed';
  return code === 0 || !isHidden(message) ? 'command passed' : 'command run';
}
