/** Strategies that look suspicious and break no rule: the kit must not blame them. */

import { isModelError } from '../../../../src/api/errors.ts';
import type { CompactionContext, ContextMessage, StrategyPorts } from '../../../../src/api/index.ts';
import type { AnyFactory } from '../../../../src/core/compaction/strategies/strategyEntry.ts';

export interface Odd {
  readonly name: string;
  readonly make: () => AnyFactory;
}

type Compact = (context: CompactionContext, ports: StrategyPorts) => unknown;

const odd = (
  name: string,
  compact: Compact | (() => Compact),
  more: (ports: StrategyPorts) => object = () => ({}),
): Odd => ({
  name,
  make: () => {
    const make = compact.length === 0 ? (compact as () => Compact)() : (compact as Compact);
    return {
      needs: ['llm', 'countTokens', 'log', 'settings'],
      create: (ports: StrategyPorts) => ({
        compact: async (context: CompactionContext) => make(context, ports),
        ...more(ports),
      }),
    } as unknown as AnyFactory;
  },
});

const note = (text: string, more: object = {}) => ({ role: 'user', kind: 'summary', text, ...more });
function kept({ history }: CompactionContext): readonly ContextMessage[] {
  const blocks = new Set(history.flatMap((message) => (message.protected ? [message.block] : [])));
  return history.filter(({ block }) => blocks.has(block));
}
const gone = (context: CompactionContext) => {
  const stays = new Set(kept(context));
  return context.history.filter((message) => !stays.has(message));
};
const notes = (context: CompactionContext, text = 'Notes.', more: object = {}) =>
  gone(context).length === 0 ? null : [note(text, more), ...kept(context)];
const hideAll = ({ history, hide }: CompactionContext, always = false) =>
  history.map((message) => hide(message, undefined, always));
const editable = (m: ContextMessage) => m.role === 'tool' && !m.protected && !m.hidden && !m.truncated;

/** It keeps its state in private fields, and its functions need their own `this`. */
class Counting {
  readonly #seen = new Map<string, number>();
  readonly #count: (text: string) => number;

  constructor({ countTokens }: StrategyPorts) {
    this.#count = countTokens;
  }

  async compact(context: CompactionContext) {
    for (const { id, text } of context.history) if (!this.#seen.has(id)) this.#seen.set(id, this.#count(text));
    return notes(context, 'Notes.') as never;
  }

  shouldCompact() {
    return this.#seen.size > 1_000_000 ? true : undefined;
  }

  dispose() {
    this.#seen.clear();
  }
}

export const ODD: readonly Odd[] = [
  {
    name: 'is a class with private fields',
    make: () => ({ needs: ['countTokens'], create: (ports) => new Counting(ports) }),
  },
  odd('never has anything to do', (_context) => null),
  odd('returns a copy of the history', ({ history }) => [...history]),
  odd('keeps notes by session id in its module', () => {
    const cache = new Map<string, string[]>();
    return (context: CompactionContext) => {
      const lines = cache.get(context.sessionId) ?? [];
      cache.set(context.sessionId, lines);
      const fresh = gone(context).flatMap(({ id }) => (lines.includes(id) ? [] : [id]));
      lines.push(...fresh);
      return notes(context, 'Notes.');
    };
  }),
  odd('keeps first lines by text in its module', () => {
    const cache = new Map<string, string>();
    return (context: CompactionContext) => {
      const lines = gone(context).map(({ text }) => {
        const line = cache.get(text) ?? (text.split('\n')[0] ?? '').slice(0, 5).toWellFormed();
        cache.set(text, line);
        return line;
      });
      return notes(context, lines.slice(0, 5).join(' ').trim() || 'none');
    };
  }),
  odd('drops at random', (context) => {
    const blocks = new Set(gone(context).flatMap(({ block }) => (Math.random() < 0.5 ? [block] : [])));
    return context.history.filter(({ block }) => !blocks.has(block));
  }),
  odd('throws a coin', (context) => (Math.random() < 0.5 ? notes(context) : null)),
  odd('dates its notes', (context) => notes(context, `Notes of ${new Date().toISOString()}.`)),
  odd('keeps only what it must', (context) => kept(context)),
  odd('drops the latest question too', (context) => {
    const rest = kept(context).filter(
      (m) => !(m.role === 'user' && m === context.history.findLast((e) => e.role === 'user' && e.kind === 'user')),
    );
    return [note('Notes.'), ...rest];
  }),
  odd('puts its notes last', (context) => (gone(context).length ? [...kept(context), note('Notes.')] : null)),
  odd('writes notes at both ends', (context) =>
    gone(context).length ? [note('Begin.'), ...kept(context), note('End.')] : null,
  ),
  odd('writes a hundred notes', (context) =>
    gone(context).length > 300 ? [...Array.from({ length: 100 }, () => note('x')), ...kept(context)] : null,
  ),
  odd('hides all there is', (context) => hideAll(context, true)),
  odd('hides twice', (context) => {
    const once = hideAll(context);
    return once.map((message) => context.hide(message));
  }),
  odd('shortens and counts', (context) =>
    context.history.map((m) => {
      const short = { ...m, text: m.text.slice(0, 100).toWellFormed() };
      return editable(m) && m.text.length > 100 && short.text.trim()
        ? { ...short, tokens: context.tokensOf(short) }
        : m;
    }),
  ),
  odd('shortens and does not count', ({ history }) =>
    history.map((m) =>
      editable(m) && m.text.length > 100 ? { ...m, text: `${m.text.slice(0, 90).toWellFormed()}…` } : m,
    ),
  ),
  odd('empties arguments', ({ history }) =>
    history.map((m) =>
      m.role === 'assistant' && !m.protected && m.toolCalls.length > 0
        ? { ...m, toolCalls: m.toolCalls.map((call) => ({ ...call, arguments: '{}' })) }
        : m,
    ),
  ),
  odd('keeps one object twice in its details', (context) => {
    const shared = { a: [1, 2] };
    const messages = notes(context);
    return messages && { messages, details: { first: shared, second: shared } };
  }),
  odd('keeps large details', (context) => {
    const messages = notes(context);
    return messages && { messages, details: ['x'.repeat(60_000), null, true, 1.5, { deep: [{}] }] };
  }),
  odd('counts in its details', (context) => {
    const { count = 0 } = (context.details ?? {}) as { count?: number };
    const messages = notes(context, `Compaction ${count + 1}.`);
    return messages && { messages, details: { count: count + 1 } };
  }),
  odd('returns objects without a prototype', (context) => {
    const messages = notes(context);
    return messages && Object.assign(Object.create(null), { messages, details: Object.create(null) });
  }),
  odd('returns a list of its own class', (context) => {
    class List extends Array {}
    return notes(context) && List.from(notes(context) as unknown[]);
  }),
  odd('says why each line is there', (context) =>
    notes(context, 'One.\nTwo.', { cut: 0, reasons: [null, { why: 'asked', name: 'x' }, { why: 'one too many' }] }),
  ),
  odd('runs one built-in strategy after another', async (context) => {
    const hidden = await context.builtins.run('tool-result-hiding');
    return context.builtins.run('prune-then-summary', { history: hidden });
  }),
  odd('tries its model three times', async (context, { llm }) => {
    for (let i = 0; ; i++) {
      const said = await llm.complete({ prompt: 'Sum up.' }).catch((thrown) => (i < 2 ? null : Promise.reject(thrown)));
      if (said) return notes(context, said.text);
    }
  }),
  odd('sends what is too long in parts', async (context, { llm }) => {
    let text = gone(context)
      .map((m) => m.text)
      .join('\n')
      .toWellFormed();
    for (let i = 0; i < 12; i++) {
      try {
        return notes(context, (await llm.complete({ prompt: text, whole: true })).text);
      } catch (thrown) {
        if (!isModelError(thrown) || thrown.kind !== 'overflow') throw thrown;
        text = text.slice(0, text.length >> 1).toWellFormed();
      }
    }
    return null;
  }),
  odd('asks twenty things at once', async (context, { llm }) => {
    const asked = Array.from({ length: 20 }, (_, i) => llm.complete({ prompt: `Part ${i}.` }).catch(() => null));
    const said = await Promise.all(asked);
    return notes(context, said.every(Boolean) ? 'Summed up.' : 'Not summed up.');
  }),
  odd('goes on without a summary', async (context, { llm }) => {
    const said = await llm.complete({ prompt: 'Sum up.', maxOutputTokens: 1, tag: 'summary' }).catch(() => null);
    return said ? notes(context, said.text) : hideAll(context);
  }),
  odd('asks and does not wait, but catches', (context, { llm }) => {
    void llm.complete({ prompt: 'Are you warm?' }).catch(() => undefined);
    return notes(context);
  }),
  odd('says strange things beside its work', (context, { log }) => {
    log('fatal' as never, '');
    context.report('', Number.NaN);
    context.report('half', 7);
    context.soFar(context.history);
    return notes(context);
  }),
  odd('gives way in between', async (context) => {
    for (const _ of context.history.slice(0, 20)) await context.pause();
    return notes(context);
  }),
  odd('listens for the end of its call', (context) => {
    context.signal.addEventListener('abort', () => undefined);
    return notes(context);
  }),
  odd('quotes errors of the history', (context) =>
    notes(
      context,
      gone(context)
        .find(({ text }) => text.startsWith('Error'))
        ?.text.slice(0, 80)
        .toWellFormed() || 'No error.',
    ),
  ),
  odd(
    'always wants to be called',
    (context) => notes(context),
    () => ({ shouldCompact: () => true }),
  ),
  odd(
    'never wants to be called',
    (context) => notes(context),
    () => ({ shouldCompact: () => false }),
  ),
  odd(
    'disposes of itself later',
    (context) => notes(context),
    () => ({ dispose: async () => undefined }),
  ),
  odd(
    'never finishes its dispose',
    (context) => notes(context),
    () => ({ dispose: () => new Promise(() => undefined) }),
  ),
  odd(
    'has a timer, and ends it',
    (context) => notes(context),
    () => {
      const timer = setInterval(() => undefined, 60_000);
      return { dispose: () => clearInterval(timer) };
    },
  ),
];
