/**
 * Random things that can happen to a session, for property tests. An action that does not fit the session's state does
 * something near it that does, so every run exercises every kind.
 */

import fc from 'fast-check';
import type { PlanOp } from '../../../src/core/journal/entry.ts';
import type { Journal } from '../../../src/core/journal/journal.ts';

type PlainKind = 'user' | 'reminder' | 'header' | 'answer' | 'abandon' | 'undo' | 'redo' | Quiet;
/** Entries that no message shows. */
type Quiet = 'usage' | 'checkpoint' | 'configured' | 'title';

export type Action =
  | { readonly do: PlainKind }
  | { readonly do: 'tools'; readonly count: number }
  | { readonly do: 'compact'; readonly choices: readonly number[] }
  | { readonly do: 'expand' | 'collapse' | 'pin' | 'unpin' | 'revert'; readonly at: number };

const at = fc.nat(1_000);

export function actions(maxLength: number): fc.Arbitrary<Action[]> {
  const plain = (...kinds: PlainKind[]) => fc.constantFrom(...kinds.map((kind): Action => ({ do: kind })));
  const action: fc.Arbitrary<Action> = fc.oneof(
    { weight: 5, arbitrary: plain('user', 'answer') },
    { weight: 1, arbitrary: plain('reminder', 'header', 'abandon') },
    { weight: 2, arbitrary: plain('usage', 'checkpoint', 'configured', 'title') },
    { weight: 2, arbitrary: plain('undo', 'redo') },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('tools' as const), count: fc.integer({ min: 1, max: 3 }) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('compact' as const),
        choices: fc.array(fc.nat(4), { minLength: 4, maxLength: 12 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('expand' as const, 'collapse' as const, 'pin' as const, 'unpin' as const),
        at,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('revert' as const), at }) },
  );
  return fc.array(action, { minLength: 1, maxLength });
}

/** No tool call is unanswered, or its block was abandoned. */
export function isQuiescent(journal: Journal): boolean {
  return !journal.context.conversation.at(-1) || openCalls(journal).length === 0;
}

function openCalls(journal: Journal): string[] {
  let open: string[] = [];
  for (const { message } of journal.context.conversation) {
    if (message.role === 'tool') open = open.filter((id) => id !== message.toolCallId);
    else
      open = message.role === 'assistant' && !message.interrupted ? (message.toolCalls ?? []).map(({ id }) => id) : [];
  }
  return open;
}

/** One of a few, so that a session comes back to one. */
const modelOf = (n: number): string => `model ${n % 3}`;

/** Does the action through the journal's public face only. */
export async function perform(journal: Journal, action: Action): Promise<void> {
  const n = journal.entries.length;
  const say = (kind: 'user' | 'reminder') =>
    journal.append({ type: 'message', message: { role: 'user', kind, text: `${kind} ${n} 字🙂` }, tokens: 3 });
  switch (action.do) {
    case 'user':
    case 'reminder':
      await say(action.do);
      break;
    case 'header':
      await journal.append({
        type: 'header',
        items: [{ kind: 'systemPrompt', origin: 'built-in', text: `system ${n}`, tokens: 2 }],
        tools: [],
        tokens: 2,
      });
      break;
    case 'usage': {
      const usage = { input: n, cached: 0, output: 1, reasoning: 0 };
      await journal.append({ type: 'usage', model: 'm', usage, ...(n % 3 === 0 && { estimated: true }) });
      break;
    }
    case 'checkpoint': {
      const id = journal.nextCheckpointId;
      await journal.append({ type: 'checkpoint', id, label: `checkpoint ${id}`, toldModel: n % 2 === 0 });
      break;
    }
    case 'configured':
      await journal.append({
        type: 'configured',
        model: modelOf(n),
        endpoint: 'demo:',
        window: 1_000 + n,
        strategy: 'hide',
        parameters: {},
      });
      break;
    case 'title':
      await journal.append({ type: 'title', title: `title ${n}` });
      break;
    case 'answer':
      await journal.append({ type: 'message', message: { role: 'assistant', text: `answer ${n}` }, tokens: 4 });
      break;
    case 'tools':
    case 'abandon': {
      const ids = Array.from({ length: action.do === 'tools' ? action.count : 2 }, (_, i) => `call-${n}-${i}`);
      const toolCalls = ids.map((id) => ({ id, name: 'read_file', arguments: `{"path":"${n}.ts"}` }));
      const reasoning = {
        field: 'reasoning',
        text: `thought ${n}`,
        origin: { endpoint: 'demo:', model: modelOf(n + 1) },
      };
      const thought = n % 2 === 0 ? { reasoning } : {};
      await journal.append({
        type: 'message',
        message: { role: 'assistant', text: '', toolCalls, ...thought },
        tokens: 6,
      });
      for (const id of action.do === 'tools' ? ids : ids.slice(1)) {
        const message = { role: 'tool', toolCallId: id, toolName: 'read_file', text: `result ${id}` } as const;
        await journal.append({ type: 'message', message, tokens: 20 });
      }
      if (action.do === 'abandon') await say('user');
      break;
    }
    case 'compact':
      await compact(journal, action.choices);
      break;
    case 'undo': {
      const target = journal.context.activeCompactions.at(-1)?.seq;
      if (target !== undefined) await journal.append({ type: 'compactionUndone', target });
      break;
    }
    case 'redo': {
      const target = journal.context.undoneCompactions.at(-1)?.seq;
      if (target !== undefined) await journal.append({ type: 'compactionRedone', target });
      break;
    }
    case 'expand':
    case 'collapse':
    case 'pin':
    case 'unpin': {
      const slots = [...journal.context.slots()].filter(({ shown }) => shown !== 'absent');
      const slot = slots[action.at % Math.max(1, slots.length)];
      if (!slot) break;
      const type = { expand: 'expanded', collapse: 'collapsed', pin: 'pinned', unpin: 'unpinned' } as const;
      await journal.append({ type: type[action.do], ids: journal.context.blockOf(slot.id) });
      break;
    }
    case 'revert': {
      const targets = journal.entries.filter((entry) => 'parent' in entry);
      const target = targets[action.at % Math.max(1, targets.length)];
      await journal.revert(target?.seq ?? null, 'user');
      break;
    }
  }
}

/** Whole blocks are kept, hidden or dropped by `choices`; a summary goes in now and then. */
async function compact(journal: Journal, choices: readonly number[]): Promise<void> {
  if (journal.head === null) return;
  const plan: PlanOp[] = [];
  let block = -1;
  let turn = 0;
  let choice = 0;
  for (const item of journal.context.conversation) {
    if (item.block !== block) {
      block = item.block;
      choice = choices[turn++ % choices.length] ?? 0;
      if (choice === 3)
        plan.push({ op: 'insert', message: { role: 'user', kind: 'summary', text: `notes ${turn}` }, tokens: 2 });
    }
    if (choice === 1 && item.kind === 'toolResult') {
      plan.push({ op: 'replace', id: item.id, by: { text: `[hidden ${item.id}]`, tokens: 1, hidden: true } });
    } else if (choice === 2) plan.push({ op: 'drop', ids: [item.id] });
    else if (choice !== 4) plan.push({ op: 'keep', ids: [item.id] });
  }
  await journal.append({
    type: 'compaction',
    base: journal.head,
    plan,
    strategy: 'random',
    trigger: 'manual',
    tokensBefore: 0,
    tokensAfter: 0,
    durationMs: 0,
    attempt: 1,
  });
}
