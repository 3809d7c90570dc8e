/** Compares the expectations of an example's step with the result. */

import { expect } from 'vitest';
import { listBranches } from '../../../src/core/journal/branches.ts';
import type { Entry } from '../../../src/core/journal/entry.ts';
import type { Expectation, Figure } from './example.ts';
import { writeOut } from './exampleHistory.ts';
import type { Happened } from './runExample.ts';

export function compareExample(comes: Expectation, happened: Happened): void {
  for (const [what, expected] of Object.entries(comes)) {
    const [seen, wanted] = LOOKS[what as keyof Expectation](happened, expected as never);
    expect(seen, `${what}; the log was:\n${happened.logs.join('\n')}\n`).toEqual(wanted);
  }
}

type Looks = {
  readonly [What in keyof Expectation]-?: (
    happened: Happened,
    expected: NonNullable<Expectation[What]>,
  ) => readonly [seen: unknown, wanted: unknown];
};

const LOOKS: Looks = {
  outcome: ({ outcome }, expected) => [outcome, expected],
  compactions: ({ entries }, expected) => {
    const made = entries.flatMap((entry) => (entry.type === 'compaction' ? [entry] : []));
    const wanted = expected.map(({ before, after, ...rest }) =>
      expect.objectContaining({ ...rest, ...figures({ tokensBefore: before, tokensAfter: after }) }),
    );
    return [made, wanted];
  },
  compacted: ({ entries }, expected) => [entries.filter(({ type }) => type === 'compaction').length, figure(expected)],
  shows: (happened, expected) => [visible(happened), expected.map(text)],
  begins: (happened, expected) => [visible(happened).slice(0, expected.length), expected.map(text)],
  ends: (happened, expected) => [visible(happened).slice(-expected.length), expected.map(text)],
  results: ({ agent }, expected) => {
    const results = agent.journal.context.conversation.filter(({ kind }) => kind === 'toolResult');
    return [results.map(({ hidden }) => (hidden ? '.' : '1')).join(''), expected];
  },
  sent: ({ model }, expected) => {
    const messages = model.requests.at(-1)?.messages.filter(({ role }) => role !== 'system') ?? [];
    return [messages.map((message) => `${message.role}: ${message.text}`), expected.map(text)];
  },
  sameHeader: ({ entries }) => [entries.filter(({ type }) => type === 'header'), []],
  asked: ({ asked }, expected) => [
    asked,
    expected.map(({ tokens, of }) => expect.objectContaining(figures({ tokens, window: of }))),
  ],
  summaries: ({ summaryModel }, expected) => [summaryModel.requests.length, expected],
  summarySystem: (happened, expected) => [question(happened).system, text(expected)],
  summaryAsks: (happened, expected) => [inOrder(question(happened).prompt, expected), expected],
  summaryLacks: (happened, expected) => [expected.filter((part) => question(happened).prompt.includes(part)), []],
  summaryTools: ({ summaryModel }, expected) => [summaryModel.requests[0]?.tools.length, expected],
  summaryOutput: ({ summaryModel }, expected) => [summaryModel.requests[0]?.maxOutputTokens, expected],
  phases: ({ events }, expected) => [
    events.flatMap((event) => (event.type === 'phase' ? [[event.phase, event.tokensBefore, event.tokensAfter]] : [])),
    expected.map(([phase, before, after]) => [phase, figure(before), figure(after)]),
  ],
  told: ({ events }, { before, after, rounds, saved, summary }) => [
    events.find(({ type }) => type === 'contextCompacted'),
    expect.objectContaining({
      ...figures({ tokensBefore: before, tokensAfter: after, savedRatio: saved }),
      roundsCompacted: rounds,
      summary: text(summary),
    }),
  ],
  logs: ({ logs }, expected) => [inOrder(logs.join('\n'), expected), expected],
  entries: ({ entries }, expected) => [entries.flatMap(describeEntry), expected.map(text)],
  notes: ({ entries }, expected) => [
    entries.flatMap((entry) => (entry.type === 'note' ? [entry.text] : [])),
    expected.map(text),
  ],
  tokens: ({ agent }, expected) => [agent.compactor.gauge.reading.tokens, figure(expected)],
  branches: ({ agent }, expected) => [listBranches(agent.journal).length, expected],
};

const visible = ({ agent }: Happened) =>
  agent.journal.context.conversation.map(({ message }) => `${message.role}: ${message.text}`);

function question({ summaryModel }: Happened): { readonly system: string; readonly prompt: string } {
  const messages = summaryModel.requests[0]?.messages ?? [];
  const of = (role: string) => messages.find((message) => message.role === role)?.text ?? '';
  return { system: of('system'), prompt: of('user') };
}

/** Those of `parts` that are found, each after the one before it. */
function inOrder(whole: string, parts: readonly string[]): string[] {
  let from = 0;
  return parts.filter((part) => {
    const at = whole.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
    return true;
  });
}

/** Describes the parts of a session for its reader, without derived data. */
function describeEntry(entry: Entry): string[] {
  switch (entry.type) {
    case 'message':
      return [`${entry.message.role}: ${entry.message.text}`];
    case 'checkpoint':
      return [`checkpoint ${entry.id}`];
    case 'usage':
      return [`usage ${entry.usage.input + entry.usage.output}`];
    case 'compaction':
      return ['compaction'];
    default:
      return [];
  }
}

const text = (expected: string): unknown =>
  expected.startsWith('/') && expected.endsWith('/')
    ? expect.stringMatching(new RegExp(expected.slice(1, -1), 'su'))
    : writeOut(expected);

function figure(expected: Figure): unknown {
  if (typeof expected === 'number') return expected;
  const [least, most] = expected;
  return expect.toSatisfy(
    (seen: unknown) => typeof seen === 'number' && seen >= least && seen <= most,
    `${least} to ${most}`,
  );
}

/** Those that are expected. */
const figures = (expected: Readonly<Record<string, Figure | undefined>>) =>
  Object.fromEntries(
    Object.entries(expected).flatMap(([name, value]) => (value === undefined ? [] : [[name, figure(value)]])),
  );
