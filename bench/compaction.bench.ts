/**
 * F6 to F8: a deterministic compaction pass over a million messages, the lowering of a million tokens, and the meter
 * against the usage that recorded sessions report.
 */

import { Draft } from '../src/core/compaction/draft/draft.ts';
import { HistoryView } from '../src/core/compaction/draft/history.ts';
import { findBrokenRule, mend } from '../src/core/compaction/draft/rules.ts';
import { toPlan } from '../src/core/compaction/draft/toPlan.ts';
import { readAnswer } from '../src/core/compaction/hosting/readAnswer.ts';
import { openContext } from '../src/core/compaction/hosting/strategyContext.ts';
import { hideOldResults } from '../src/core/compaction/strategies/toolResultHiding.ts';
import type { ContextItem } from '../src/core/context/item.ts';
import { lowerContext } from '../src/core/context/lower.ts';
import type { Message } from '../src/core/context/message.ts';
import { Projection } from '../src/core/context/projection.ts';
import { UserFacingError } from '../src/core/errors.ts';
import type { EntryDraft, TreeEntry } from '../src/core/journal/entry.ts';
import { Calibration } from '../src/core/tokens/calibrate.ts';
import { estimateMessage } from '../src/core/tokens/estimate.ts';
import { systemTimers } from '../src/providers/timers.ts';
import { NO_MEMORY } from '../test/support/noMemory.ts';
import { findRecordedSessions, readRecording } from '../test/support/sessions/recordedSessions.ts';
import { type Line, quantile, ratioLine } from './support/line.ts';

export const id = 'F6';

const MILLION = 1_000_000;
const REPETITIONS = 15;
/** A pass makes two lists of a million references, 16 bytes a message, and looks at each message; a copy has 9 bytes. */
const PASS = 20;

export async function run(): Promise<Line[]> {
  return [...measurePass(), ...measureLowering(), ...measureMeter()];
}

/** Lower quartiles of both sides, which take turns: what else runs on the machine only ever makes one slower. */
function compare(one: () => unknown, other: () => unknown): number {
  const times: [number[], number[]] = [[], []];
  for (let i = 0; i < REPETITIONS; i++) {
    for (const [side, work] of [one, other].entries()) {
      const begun = performance.now();
      work();
      times[side]?.push(performance.now() - begun);
    }
  }
  return quantile(times[0], 0.25) / quantile(times[1], 0.25);
}

/**
 * A session of a million messages in which old results were hidden before, as in any session that long; each pass hides
 * the groups that became old since. The pass is all that happens between two appends: history, strategy, reading,
 * checking, plan.
 */
function measurePass(): Line[] {
  const items = makeItems(MILLION);
  const original = new Map(items.map((item) => [item.id, item.message]));
  const view = new HistoryView();
  const originalOf = (of: string) => original.get(of) as Message;
  view.of(items, originalOf);
  const columns = [new Uint8Array(MILLION), new Uint32Array(MILLION), new Uint32Array(MILLION)];
  const pass = () => {
    const history = view.of(items, originalOf);
    const llm = { maxInputTokens: 0, complete: () => Promise.reject(new Error('no model')) };
    const run = openContext(
      history.messages,
      {
        trigger: 'manual',
        window: 0,
        reserve: 0,
        protectedTools: [],
        memory: NO_MEMORY,
        section: {},
        sectionOf: () => ({}),
        llm,
        stamp: { nonce: 'beef', now: 0 },
        timers: systemTimers,
        deadlineMs: 1_000,
      },
      { attempt: 1, tokenCount: history.tokens, target: 1, threshold: 1 },
      new AbortController().signal,
      () => undefined,
    );
    const hiding = hideOldResults(run.context, 5);
    const read = readAnswer(hiding?.messages ?? null, Draft.of(history), run);
    if (read.kind !== 'draft') throw new Error(read.kind);
    const draft = mend(read.draft);
    const broken = findBrokenRule(draft, history.protectedAt);
    if (broken !== null) throw new UserFacingError(broken);
    const changed = toPlan(draft).filter(({ op }) => op === 'replace').length;
    return { history: history.messages, result: hiding?.messages ?? [], changed };
  };
  // Held, so that every copy has to find memory of its own: what is used again is six times as fast, by chance.
  const held: unknown[] = [];
  const ratio = compare(pass, () => held.push(columns.map((column) => column.slice())));
  const { history, result, changed } = pass();
  const cloned = result.filter((message, i) => message !== history[i]).length - changed;
  return [
    ratioLine(id, 'a deterministic pass over 1,000,000 messages, against a copy of its columns', ratio, PASS),
    { id, name: 'messages cloned that did not change', figure: String(cloned), goal: '0', ok: cloned === 0 },
  ];
}

/**
 * F7: what a step costs before its request is encoded, and that what was sent before is sent again byte for byte. 4,000
 * messages of 250 tokens.
 */
function measureLowering(): Line[] {
  const projection = Projection.of([]);
  const append = (draft: EntryDraft) => {
    const seq = (projection.head ?? -1) + 1;
    projection.apply({ ...draft, seq, time: new Date(seq).toISOString(), parent: projection.head } as TreeEntry);
  };
  for (const { message } of makeItems(4_000, 'word '.repeat(500))) append({ type: 'message', message, tokens: 250 });
  const before = lowerContext(projection);
  const ratio = compare(
    () => lowerContext(projection),
    () => JSON.stringify(before),
  );
  append({ type: 'message', message: { role: 'user', kind: 'user', text: 'one more' }, tokens: 6 });
  const after = lowerContext(projection);
  const same = JSON.stringify(after.slice(0, before.length)) === JSON.stringify(before);
  return [
    ratioLine('F7', 'lowering 1,000,000 tokens, against JSON.stringify of them', ratio, 0.33),
    {
      id: 'F7',
      name: 'earlier messages sent again as they were',
      figure: same ? 'all' : 'not all',
      goal: 'all',
      ok: same,
    },
  ];
}

/** One user message in 40; the last hundred groups are not hidden yet. */
function makeItems(count: number, text = 'word '.repeat(60)): ContextItem[] {
  const items: ContextItem[] = [];
  let block = 0;
  let round = 0;
  for (let i = 0; i < count; i++) {
    const isUser = i % 40 === 0;
    const isResult = !isUser && i % 2 === 0;
    if (isUser) round++;
    if (!isResult) block++;
    const call = { id: `t${i}`, name: 'read_file', arguments: '{"path":"a.ts"}' };
    const message: Message = isUser
      ? { role: 'user', kind: 'user', text: 'go on' }
      : isResult
        ? { role: 'tool', toolCallId: `t${i - 1}`, toolName: 'read_file', text }
        : { role: 'assistant', text: '', toolCalls: [call] };
    const kind = isUser ? 'user' : isResult ? 'toolResult' : 'assistant';
    const hidden = isResult && i < count - 200;
    items.push({ id: `m${i}`, kind, message, tokens: 60, block, round, time: 0, seq: i, pinned: false, hidden });
  }
  return items;
}

interface Report {
  /** Index of the recorded line that was answered with this report: the request held everything before it. */
  readonly at: number;
  readonly input: number;
}

interface RecordedLine {
  readonly content?: unknown;
  readonly reasoning?: string;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
}

/**
 * F8: before each recorded request the meter says what it will hold, from the report before and the messages since; the
 * next report says what it held. Left out are steps at which the context itself was changed: recorded compactions, and
 * requests a fifth smaller than the one before.
 */
function measureMeter(): Line[] {
  const recorded = findRecordedSessions();
  const goal = '≤ 1%';
  const name = 'meter against reported usage, p95';
  if (!recorded.length) return [{ id: 'F8', name, figure: 'no recorded sessions here', goal, ok: true }];
  const errors: number[] = [];
  for (const path of recorded) {
    const meta = JSON.parse(readRecording(path.replace('.jsonl', '.meta.json')));
    const lines = readRecording(path).split('\n').filter(Boolean);
    const cuts: readonly number[] = (meta.compactions ?? []).map(({ after }: { after: number }) => after);
    errors.push(
      ...errorsOf(
        lines.map((line) => estimateLine(JSON.parse(line))),
        readReports(meta),
        cuts,
      ),
    );
  }
  const percent = (share: number) => `${(quantile(errors, share) * 100).toFixed(2)}%`;
  const median = `meter, median of ${errors.length} requests`;
  return [
    { id: 'F8', name, figure: percent(0.95), goal, ok: quantile(errors, 0.95) <= 0.01 },
    { id: 'F8', name: median, figure: percent(0.5), goal, ok: quantile(errors, 0.5) <= 0.01 },
  ];
}

/** Codex writes the report of a request down when the next step has begun. */
function readReports(meta: { readonly agent?: string; readonly usage?: readonly Report[] }): readonly Report[] {
  const reports = meta.usage ?? [];
  if (meta.agent !== 'Codex CLI') return reports;
  return reports.slice(1).map(({ input }, i) => ({ at: reports[i]?.at ?? 0, input }));
}

function estimateLine({ content, reasoning, tool_calls = [] }: RecordedLine): number {
  const toolCalls = tool_calls.map(({ function: { name, arguments: json } }, i) => ({
    id: String(i),
    name,
    arguments: json,
  }));
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? '');
  const thought = reasoning ? { reasoning: { field: 'reasoning', text: reasoning } } : {};
  return estimateMessage({ role: 'assistant', text, ...thought, ...(toolCalls.length ? { toolCalls } : {}) });
}

function errorsOf(tokens: readonly number[], reports: readonly Report[], cuts: readonly number[]): number[] {
  const calibration = new Calibration();
  const errors: number[] = [];
  for (const [i, next] of reports.entries()) {
    const last = reports[i - 1];
    if (!last || next.at <= last.at || next.input < last.input * 0.8) continue;
    if (cuts.some((cut) => cut >= last.at - 1 && cut <= next.at + 1)) continue;
    const grown = tokens.slice(last.at, next.at).reduce((sum, own) => sum + own, 0);
    const told = last.input + Math.round(grown * calibration.factor('recorded'));
    errors.push(Math.abs(told - next.input) / next.input);
    calibration.observe('recorded', grown, next.input - last.input);
  }
  return errors;
}
