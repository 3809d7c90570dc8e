/** What commands came to: from the call of a tool that runs one, and from its result, in recordings of other programs too. */

import type { ToolCall } from '../../context/message.ts';
import { parseObject } from '../../json.ts';
import { isHidden, type SaidResult } from './said.ts';

const RUNS = /command|shell|bash|terminal|exec/i;
const LINE_KEYS = ['command', 'cmd', 'script'];
/** As the usual tools tell it, at the beginning of what they return. */
const EXIT_CODE = /^(?:Process |Command )?(?:exited with (?:exit )?code|exit[_ ]?code|exit status):? (-?\d{1,5})\b/im;
const LOOKED_AT = 400;

/** By call, which never changes: the facts of a long session are looked for at each compaction. */
const commands = new WeakMap<ToolCall, { readonly command: string | null }>();

/** The command that a call runs, on one line; null for a call of another kind. */
export function commandOf(call: ToolCall): string | null {
  const known = commands.get(call) ?? { command: findCommand(call) };
  commands.set(call, known);
  return known.command;
}

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

/** The exit code that a result names; null where it names none, or stands behind a stub. */
export function exitCodeOf(message: SaidResult): number | null {
  const [, code] = isHidden(message) ? [] : (EXIT_CODE.exec(message.text.slice(0, LOOKED_AT)) ?? []);
  return code === undefined ? null : Number(code);
}

/** By result, which never changes. */
const failures = new WeakMap<SaidResult, boolean>();

/** The tool said so, or its command did. */
export function hasFailed(message: SaidResult): boolean {
  const known = failures.get(message) ?? (message.isError || (exitCodeOf(message) ?? 0) !== 0);
  failures.set(message, known);
  return known;
}

/** How a command ended, as the ledger says it. */
export function outcomeOf(message: SaidResult): string {
  const code = exitCodeOf(message);
  if (code !== null && code !== 0) return `command failed with exit code ${code}`;
  if (message.isError) return 'command failed';
  return code === 0 || !isHidden(message) ? 'command passed' : 'command run';
}
