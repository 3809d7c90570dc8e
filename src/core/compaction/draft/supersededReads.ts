/** Finds the results of reading files that a later read, or a change of the file, has replaced. */

import type { ContextMessage } from '../../../api/index.ts';
import { effectsOf, namesIn } from '../../calls/effects.ts';
import { filesIn, plainPath } from '../../calls/filesInCalls.ts';
import { isMade } from '../../calls/outcome.ts';
import type { History } from './history.ts';

/** The heading of `read_file` above the text. */
const LINES = /^[^\n]*: lines (\d+)-(\d+) of (\d+)/;

const PART_OF_A_LINE = /^[^\n]*, line \d+ is (?:\d+ characters long|shown from character)/;

interface Read {
  readonly index: number;
  readonly arguments: string;
  /** Null where the tool does not report the lines it returned. */
  readonly lines: { readonly first: number; readonly last: number; readonly all: boolean } | null;
}

/** Indices of the results. `which` stay. */
export function findSupersededReads(history: History, which: 'all' | 'newest' | 'current'): ReadonlySet<number> {
  const superseded = new Set<number>();
  if (which === 'all') return superseded;
  const shown = new Map<string, Read[]>();
  /** `gone` decides whether the newer read replaces an older one. */
  const supersede = (path: string, gone: (read: Read) => boolean) => {
    const left: Read[] = [];
    for (const read of shown.get(path) ?? []) {
      if (gone(read)) superseded.add(read.index);
      else left.push(read);
    }
    shown.set(path, left);
    return left;
  };
  let calls: Extract<ContextMessage, { role: 'assistant' }>['toolCalls'] = [];
  for (const [index, message] of history.messages.entries()) {
    if (message.role === 'assistant') calls = message.toolCalls;
    if (message.role !== 'tool') continue;
    const call = calls.find(({ id }) => id === message.toolCallId);
    const result = history.original(message.id);
    // Otherwise it has changed nothing and shows nothing.
    if (!call || result.role !== 'tool' || !isMade(result)) continue;
    if (which === 'current') for (const path of namesIn(effectsOf(call, result))) supersede(path, () => true);
    const [read] = filesIn(call);
    if (read?.does !== 'reads' || !isWhole(history, index)) continue;
    const path = plainPath(read.path);
    const shows = { index, arguments: call.arguments, lines: readLines(message.text) };
    supersede(path, (older) => covers(shows, older)).push(shows);
  }
  return superseded;
}

/** True when it is as the tool returned it: no stub, no preview. */
function isWhole({ items, original }: History, index: number): boolean {
  const item = items[index];
  if (item?.message.role !== 'tool' || item.hidden || item.message.offload) return false;
  const first = original(item.id);
  return first.role === 'tool' && !first.offload && first.text === item.message.text;
}

function readLines(text: string): Read['lines'] {
  const [found, first, last, of] = LINES.exec(text) ?? [];
  if (found === undefined || PART_OF_A_LINE.test(text)) return null;
  return { first: Number(first), last: Number(last), all: Number(first) === 1 && last === of };
}

function covers(newer: Read, older: Read): boolean {
  if (newer.arguments === older.arguments || newer.lines?.all) return true;
  if (!newer.lines || !older.lines) return false;
  return newer.lines.first <= older.lines.first && newer.lines.last >= older.lines.last;
}
