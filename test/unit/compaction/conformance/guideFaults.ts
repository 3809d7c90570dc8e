/**
 * Strategies that each break one rule of `docs/writing-a-strategy.md` or of the published types, in ways that a single
 * honest-looking answer does not show: in what they remember, when they answer, what they ask, and which situations they
 * forgot. `rule` is what the kit must say of it, in words that its author can act on.
 */

import type { CompactionContext, ContextMessage, StrategyPorts } from '../../../../src/api/index.ts';
import type { KitOptions } from '../../../../src/core/compaction/conformance/kitOptions.ts';
import type { AnyFactory } from '../../../../src/core/compaction/strategies/strategyEntry.ts';

export interface Fault {
  readonly name: string;
  readonly rule: RegExp;
  /** Called once for each check: variables in it are those of the author's module. */
  readonly make: () => AnyFactory;
  readonly options?: KitOptions;
}

type Compact = (context: CompactionContext, ports: StrategyPorts) => unknown;

const NEEDS = ['llm', 'countTokens', 'log', 'settings'];

/** A strategy with more than `compact`; `more` may be of any form. */
const strategy = (compact: Compact, more: (ports: StrategyPorts) => object = () => ({})): AnyFactory =>
  ({
    needs: NEEDS,
    create: (ports: StrategyPorts) => ({
      compact: async (context: CompactionContext) => compact(context, ports),
      ...more(ports),
    }),
  }) as unknown as AnyFactory;

/** One whose state is made for each instance, as variables inside of `create`. */
const stateful = (open: () => Compact): AnyFactory =>
  ({
    needs: NEEDS,
    create: (ports: StrategyPorts) => {
      const compact = open();
      return { compact: async (context: CompactionContext) => compact(context, ports) };
    },
  }) as unknown as AnyFactory;

const fault = (name: string, rule: RegExp, make: () => AnyFactory, options?: KitOptions): Fault => ({
  name,
  rule,
  make,
  ...(options ? { options } : {}),
});
const once = (name: string, rule: RegExp, compact: Compact, options?: KitOptions): Fault =>
  fault(name, rule, () => strategy(compact), options);

const note = (text: unknown, more: object = {}) => ({ role: 'user', kind: 'summary', text, ...more });
const fail = (message: string): never => {
  throw new Error(message);
};
/** What must stay, and all of its blocks. */
function kept({ history }: CompactionContext): readonly ContextMessage[] {
  const blocks = new Set(history.flatMap((message) => (message.protected ? [message.block] : [])));
  return history.filter(({ block }) => blocks.has(block));
}
const gone = (context: CompactionContext) => {
  const stays = new Set(kept(context));
  return context.history.filter((message) => !stays.has(message));
};
/** An honest compaction with these notes; null where nothing may go. */
const notes = (context: CompactionContext, text: unknown, more: object = {}) =>
  gone(context).length === 0 ? null : [note(text, more), ...kept(context)];
const hideResults = ({ history, hide }: CompactionContext) =>
  history.map((message) => (message.role === 'tool' ? hide(message) : message));
const textOf = ({ history }: CompactionContext) => history.map(({ text }) => text).join('\n');
const peoples = ({ history }: CompactionContext) =>
  history.flatMap((message) => (message.role === 'user' && message.kind === 'user' ? [message.text] : []));
const edit = (
  { history }: CompactionContext,
  test: (m: ContextMessage) => boolean,
  by: (m: ContextMessage) => object,
) =>
  history.map((message) =>
    !message.protected && !message.hidden && test(message) ? { ...message, ...by(message) } : message,
  );
const ask = async ({ llm }: StrategyPorts, prompt: string, more: object = {}) =>
  (await llm.complete({ prompt, ...more })).text;
/** As its careless author takes it: complete, and changeable. */
interface Reading {
  moment: string;
  due: boolean;
  tokenCount: number;
  maxContextSize: number;
  triggerTokens: number;
  reported: { input: number };
}
/** Fewer cases for what waits for a deadline. */
const SHORT: KitOptions = { cases: 4, deadlineMs: 400 };
const ANOTHER = /text of another session/;
const DEPENDS = /what an earlier call left in (its|a) variable/;
const STRAY = /an error that nobody caught/;
const HANGS = /did not answer within 0\.4 seconds/;

/** Timers that faults leave running on purpose; a test ends them. */
export const TIMERS_LEFT = new Set<ReturnType<typeof setTimeout>>();

export const FAULTS: readonly Fault[] = [
  // What it remembers of other sessions.
  fault('keeps the last summary in the module', ANOTHER, () => {
    let last = '';
    return strategy((context) => {
      const result = notes(context, `Before: ${last.slice(0, 200)}`);
      last = peoples(context).join('\n');
      return result;
    });
  }),
  fault('collects what everybody asked', ANOTHER, () => {
    const asked: string[] = [];
    return strategy((context) => {
      asked.push(...peoples(context));
      return notes(context, asked.slice(0, 20).join('\n'));
    });
  }),
  fault('caches texts by message id in the module', ANOTHER, () => {
    const cache = new Map<string, string>();
    return strategy((context) => {
      const lines = gone(context).map(({ id, text }) => {
        if (!cache.has(id)) cache.set(id, text.slice(0, 60));
        return cache.get(id);
      });
      return notes(context, lines.join('\n') || 'none');
    });
  }),
  fault('caches texts by block in the module', ANOTHER, () => {
    const cache = new Map<number, string>();
    return strategy((context) => {
      for (const { block, text } of context.history) if (!cache.has(block)) cache.set(block, text);
      return notes(context, [...cache.values()].map((text) => text.slice(0, 60)).join('\n') || 'none');
    });
  }),
  fault('caches its notes by the length of the history', ANOTHER, () => {
    const cache = new Map<number, string>();
    return strategy((context) => {
      const { length } = context.history;
      if (!cache.has(length)) cache.set(length, peoples(context).join('\n'));
      return notes(context, cache.get(length));
    });
  }),
  fault('keeps texts of another session in its details', ANOTHER, () => {
    let last = '';
    return strategy((context) => {
      const messages = notes(context, 'Notes.');
      const details = { last };
      last = peoples(context)[0] ?? '';
      return messages && { messages, details };
    });
  }),
  fault('asks the model about another session', ANOTHER, () => {
    let last = '';
    return strategy(async (context, ports) => {
      const said = await ask(ports, `Sum up: ${last}`);
      last = peoples(context)[0] ?? '';
      return notes(context, said);
    });
  }),
  fault('puts another session into the system prompt', ANOTHER, () => {
    let last = '';
    return strategy(async (context, ports) => {
      const said = await ask(ports, 'Sum up.', { system: `Last time: ${last}` });
      last = peoples(context)[0] ?? '';
      return notes(context, said);
    });
  }),
  fault('shows another session in its report', ANOTHER, () => {
    let last = '';
    return strategy((context) => {
      context.report(`After ${last}`);
      last = peoples(context)[0] ?? '';
      return notes(context, 'Notes.');
    });
  }),
  fault('shortens a result to that of another session', ANOTHER, () => {
    const first = new Map<string, string>();
    return strategy((context) =>
      edit(
        context,
        (m) => m.role === 'tool' && m.text.length > 300 && !m.truncated,
        (m) => {
          const tool = m.role === 'tool' ? m.toolName : '';
          if (!first.has(tool)) first.set(tool, m.text.slice(-100).toWellFormed());
          return { text: first.get(tool), tokens: context.tokensOf({ ...m, text: first.get(tool) as string }) };
        },
      ),
    );
  }),
  fault('creates one strategy for all sessions', ANOTHER, () => {
    const asked: string[] = [];
    const one = {
      compact: async (context: CompactionContext) => {
        asked.unshift(...peoples(context));
        return notes(context, asked.slice(0, 30).join('\n')) as never;
      },
    };
    return { needs: [], create: () => one };
  }),
  fault('mixes sessions that compact at the same time', ANOTHER, () => {
    let current: CompactionContext | null = null;
    return strategy(async (context) => {
      current = context;
      await context.pause();
      await context.pause();
      return notes(context, peoples(current).join('\n') || 'none');
    });
  }),

  // What it remembers of this session.
  fault(
    'returns its first result again',
    /which is not in the history|depends|came back with another|twice or out of order/,
    () =>
      stateful(() => {
        let result: unknown;
        return (context) => (result ??= hideResults(context));
      }),
  ),
  fault(
    'keeps the history of its first call',
    /which is not in the history|protected message|came back|twice or out|variable/,
    () =>
      stateful(() => {
        let first: readonly ContextMessage[] | null = null;
        return (context) => {
          first ??= context.history;
          return notes({ ...context, history: first }, 'Notes.');
        };
      }),
  ),
  fault(
    'keeps the whole context of its first call',
    /which is not in the history|changed placeholder|protected message|came back|variable/,
    () =>
      stateful(() => {
        let first: CompactionContext | null = null;
        return (context) => {
          first ??= context;
          return hideResults(first);
        };
      }),
  ),
  fault('keeps hide of its first call', /placeholder|another hidden/, () =>
    stateful(() => {
      let hide: CompactionContext['hide'] | null = null;
      return (context) => {
        hide ??= context.hide;
        return context.history.map((m) => (m.role === 'tool' ? (hide as CompactionContext['hide'])(m) : m));
      };
    }),
  ),
  fault('keeps the llm of its first context', /llm of an earlier call/, () =>
    stateful(() => {
      let llm: CompactionContext['llm'] | null = null;
      return async (context) => {
        llm ??= context.llm;
        return notes(context, (await llm.complete({ prompt: 'Sum up.' })).text);
      };
    }),
  ),
  fault('acts at every second call', DEPENDS, () =>
    stateful(() => {
      let calls = 0;
      return (context) => (calls++ % 2 ? notes(context, 'Notes.') : null);
    }),
  ),
  fault('begins with its second call', DEPENDS, () =>
    stateful(() => {
      let ready = false;
      return (context) => {
        if (ready) return notes(context, 'Notes.');
        ready = true;
        return null;
      };
    }),
  ),
  fault('compacts only once', DEPENDS, () =>
    stateful(() => {
      let done = false;
      return (context) => {
        if (done) return null;
        done = true;
        return notes(context, 'Notes.');
      };
    }),
  ),
  fault('numbers its notes in a variable', DEPENDS, () =>
    stateful(() => {
      let number = 0;
      return (context) => notes(context, `Notes number ${++number}.`);
    }),
  ),
  fault('collects facts in a variable instead of in its details', DEPENDS, () =>
    stateful(() => {
      const facts: string[] = [];
      return (context) => {
        facts.push(...gone(context).flatMap((m) => (m.role === 'user' ? [m.text.slice(0, 30)] : [])));
        return notes(context, facts.join('\n') || 'none');
      };
    }),
  ),
  fault('remembers what it told in a variable', DEPENDS, () =>
    stateful(() => {
      let last = 'nothing';
      return (context) => {
        const result = notes(context, `Before: ${last}`);
        last = peoples(context).at(-1)?.slice(0, 40).toWellFormed() ?? '';
        return result;
      };
    }),
  ),
  fault('keeps more with each call', DEPENDS, () =>
    stateful(() => {
      let calls = 0;
      return ({ history, hide }) => {
        calls++;
        const results = history.filter((m) => m.role === 'tool');
        const old = new Set(results.slice(0, -calls));
        return history.map((m) => (old.has(m as never) ? hide(m) : m));
      };
    }),
  ),
  fault('takes an older history for impossible', /it threw an error: the history went back/, () =>
    stateful(() => {
      let newest = -1;
      return (context) => {
        const last = Number(context.history.at(-1)?.id.slice(1));
        if (last < newest) fail('the history went back');
        newest = last;
        return notes(context, 'Notes.');
      };
    }),
  ),
  fault('takes messages that came back for impossible', /it threw an error: that was dropped/, () =>
    stateful(() => {
      const dropped = new Set<string>();
      return (context) => {
        if (context.history.some(({ id }) => dropped.has(id))) fail('that was dropped');
        for (const { id } of gone(context)) dropped.add(id);
        return notes(context, 'Notes.');
      };
    }),
  ),
  fault('cannot be created twice', /its factory failed: only once/, () => {
    const made = new WeakSet<object>();
    const key = {};
    return {
      needs: [],
      create: () => {
        if (made.has(key)) fail('only once');
        made.add(key);
        return { compact: async (context: CompactionContext) => notes(context, 'Notes.') as never };
      },
    };
  }),
  fault('wants the variable that it set before a reload', /it threw an error: .*undefined/, () => {
    const seen = new Map<string, number>();
    return stateful(() => {
      let state: { count: number } | undefined;
      return (context) => {
        const times = seen.get(context.sessionId) ?? 0;
        seen.set(context.sessionId, times + 1);
        if (times === 0) state = { count: 0 };
        (state as { count: number }).count++;
        return notes(context, 'Notes.');
      };
    });
  }),
  once(
    'reads details before it has any',
    /it threw an error: Cannot (read|destructure) propert.*undefined/,
    (context) => {
      const { count } = context.details as { count: number };
      const messages = notes(context, 'Notes.');
      return messages && { messages, details: { count: count + 1 } };
    },
  ),
  fault('counts on its details after an undo', /it threw an error: Cannot read properties of undefined/, () =>
    stateful(() => {
      let stored = false;
      return (context) => {
        if (stored) (context.details as { count: number }).count.toFixed();
        const messages = notes(context, 'Notes.');
        if (messages) stored = true;
        return messages && { messages, details: { count: 1 } };
      };
    }),
  ),
  once('changes the details that it gets back', /read only|Cannot assign|not extensible/, (context) => {
    const details = (context.details ?? { list: [] }) as { list: number[] };
    details.list.push(1);
    const messages = notes(context, 'Notes.');
    return messages && { messages, details };
  }),
  once('counts on a summary before', /it threw an error: Cannot read properties of undefined/, (context) =>
    notes(context, (context.previousSummary as string).slice(0, 20)),
  ),
  once('takes the first message for its summary', /it threw an error: the summary is gone/, (context) => {
    const first = context.history[0];
    if (context.previousSummary && !(first?.role === 'user' && first.kind === 'summary')) fail('the summary is gone');
    return notes(context, 'Notes.');
  }),
  once('counts on changed files', /it threw an error: Cannot read properties of undefined/, (context) =>
    notes(context, `Changed: ${(context.files.changed[0] as string).toLowerCase()}`),
  ),
  once('looks for every message in the past', /it threw an error: not in the past/, (context) => {
    const past = new Set(context.past.map(({ id }) => id));
    if (!context.history.every(({ id }) => past.has(id))) fail('not in the past');
    return notes(context, 'Notes.');
  }),

  // When it wants to be called.
  ...(
    [
      ['throws', /shouldCompact failed: no luck/, () => fail('no luck')],
      ['answers later', /shouldCompact answered neither/, async () => true],
      ['answers a text', /shouldCompact answered neither/, () => 'yes'],
      ['answers null', /shouldCompact answered neither/, () => null],
      [
        'answers a share',
        /shouldCompact answered neither/,
        ({ tokenCount, maxContextSize }) => tokenCount / maxContextSize,
      ],
      ['counts on a report', /shouldCompact failed: Cannot read/, ({ reported }) => reported.input > 0],
      [
        'counts on a threshold',
        /shouldCompact failed: Cannot read/,
        ({ triggerTokens }) => triggerTokens.toFixed() !== '',
      ],
      [
        'knows three moments',
        /shouldCompact failed: what is/,
        ({ moment }) => ['beforeMessage', 'beforeCall', 'afterResponse'].includes(moment) || fail(`what is ${moment}`),
      ],
      [
        'refuses an unknown window',
        /shouldCompact failed: no window/,
        ({ maxContextSize }) => maxContextSize > 0 || fail('no window'),
      ],
      [
        'changes its reading',
        /shouldCompact failed: .*(read only|Cannot)/,
        (reading) => {
          reading.due = false;
        },
      ],
      [
        'thinks for long',
        /shouldCompact took/,
        () => {
          const begun = performance.now();
          while (performance.now() - begun < 250);
          return undefined;
        },
      ],
    ] as [string, RegExp, (reading: Reading) => unknown][]
  ).map(([name, rule, shouldCompact]) =>
    fault(`shouldCompact ${name}`, rule, () =>
      strategy(
        (context) => notes(context, 'Notes.'),
        () => ({ shouldCompact }),
      ),
    ),
  ),
  fault('shouldCompact asks the model and does not wait', STRAY, () =>
    strategy(
      (context) => notes(context, 'Notes.'),
      ({ llm }) => ({ shouldCompact: () => void llm.complete({ prompt: 'Is it time?' }) }),
    ),
  ),

  // How it ends.
  fault('throws in dispose', /its dispose failed: no luck/, () =>
    strategy(
      (context) => notes(context, 'Notes.'),
      () => ({ dispose: () => fail('no luck') }),
    ),
  ),
  fault('rejects in dispose', /its dispose failed: no luck/, () =>
    strategy(
      (context) => notes(context, 'Notes.'),
      () => ({ dispose: async () => fail('no luck') }),
    ),
  ),
  fault('has a dispose that is no function', /its dispose is not a function/, () =>
    strategy(
      (context) => notes(context, 'Notes.'),
      () => ({ dispose: {} }),
    ),
  ),
  fault('disposes of what it never made', /its dispose failed: Cannot read/, () => ({
    needs: [],
    create: () => {
      let cache: Map<string, string> | undefined;
      return {
        compact: async (context: CompactionContext) => {
          cache ??= new Map();
          return notes(context, 'Notes.') as never;
        },
        dispose: () => (cache as Map<string, string>).clear(),
      };
    },
  })),
  fault('leaves an interval behind', /it runs on: timer \(\d+\) left after/, () =>
    strategy(
      (context) => notes(context, 'Notes.'),
      () => {
        const timer = setInterval(() => undefined, 5_000);
        TIMERS_LEFT.add(timer);
        return { dispose: () => undefined };
      },
    ),
  ),
  fault('leaves a timeout behind with each call', /it runs on: timer \(\d+\) left after/, () =>
    strategy((context) => {
      TIMERS_LEFT.add(setTimeout(() => undefined, 60_000));
      return notes(context, 'Notes.');
    }),
  ),
  once('rejects beside its answer', STRAY, (context) => {
    void Promise.reject(new Error('no luck'));
    return notes(context, 'Notes.');
  }),
  once('throws in a timer', STRAY, (context) => {
    setTimeout(() => fail('no luck'), 0);
    return notes(context, 'Notes.');
  }),
  once('throws in a microtask', STRAY, (context) => {
    queueMicrotask(() => fail('no luck'));
    return notes(context, 'Notes.');
  }),
  once('does not wait for the model', STRAY, (context, { llm }) => {
    void llm.complete({ prompt: 'Sum up.' });
    return notes(context, 'Notes.');
  }),
  once('throws after a pause that it does not wait for', STRAY, (context) => {
    void context.pause().then(() => fail('no luck'));
    return notes(context, 'Notes.');
  }),
  once('throws when its call is over', STRAY, (context) => {
    context.signal.addEventListener('abort', () => fail('no luck'));
    return notes(context, 'Notes.');
  }),

  // How long it takes.
  once('never answers', HANGS, () => new Promise(() => undefined), SHORT),
  once(
    'waits for the end of its call',
    HANGS,
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('over')));
      }),
    SHORT,
  ),
  once(
    'never answers a second attempt',
    HANGS,
    (context) => (context.attempt > 1 ? new Promise(() => undefined) : notes(context, 'Notes.')),
    { ...SHORT, cases: 20 },
  ),
  once(
    'asks again for as long as the model is away',
    HANGS,
    async (context, ports) => {
      for (;;) {
        const said = await ask(ports, 'Sum up.').catch(() => null);
        if (said !== null) return notes(context, said);
      }
    },
    SHORT,
  ),
  once(
    'waits for the model to come back',
    HANGS,
    async (context, ports) => {
      for (;;) {
        const said = await ask(ports, 'Sum up.').catch(() => null);
        if (said !== null) return notes(context, said);
        await context.pause();
      }
    },
    SHORT,
  ),
  once(
    'never answers with instructions',
    HANGS,
    (context) => (context.instructions ? new Promise(() => undefined) : notes(context, 'Notes.')),
    SHORT,
  ),
  once(
    'works longer than it may',
    HANGS,
    (context) => {
      const begun = performance.now();
      while (performance.now() - begun < 450);
      return notes(context, 'Notes.');
    },
    SHORT,
  ),

  // What it asks the model.
  once('sends the whole history', /longer than llm\.maxInputTokens/, async (context, ports) =>
    notes(context, await ask(ports, `Sum up.\n${textOf(context)}`)),
  ),
  once('sends the whole history as the system prompt', /longer than llm\.maxInputTokens/, async (context, ports) =>
    notes(context, await ask(ports, 'Sum up.', { system: textOf(context) })),
  ),
  once('counts characters as tokens', /longer than llm\.maxInputTokens/, async (context, ports) =>
    notes(
      context,
      await ask(
        ports,
        textOf(context)
          .slice(0, ports.llm.maxInputTokens * 8)
          .toWellFormed(),
      ),
    ),
  ),
  once(
    'makes a failure of the model its own',
    /it threw an error: The summary went wrong.*(let|pass).*error/is,
    async (context, ports) =>
      notes(
        context,
        await ask(ports, 'Sum up.').catch((cause) => {
          throw new Error('The summary went wrong', { cause });
        }),
      ),
  ),
  once('gives up on whole prompts', /it threw an error: Too long/, async (context, ports) =>
    notes(context, await ask(ports, textOf(context), { whole: true }).catch(() => fail('Too long'))),
  ),
  once('makes a summary of an error', /message of an error/, async (context, ports) =>
    notes(context, await ask(ports, 'Sum up.').catch((error: Error) => error.message)),
  ),
  once('makes a summary of an error among other words', /message of an error/, async (context, ports) =>
    notes(context, `Summary: ${await ask(ports, 'Sum up.').catch((error: Error) => String(error))}`),
  ),
  once('makes a blank summary of an error', /blank text/, async (context, ports) =>
    notes(context, await ask(ports, 'Sum up.').catch(() => '')),
  ),
  once('takes an answer that was cut off for an error', /it threw an error: cut off/, async (context, { llm }) => {
    const { text, truncated } = await llm.complete({ prompt: 'Sum up.' });
    return truncated ? fail('cut off') : notes(context, text);
  }),
  once('allows no answer', /maxOutputTokens is 0/, async (context, ports) =>
    notes(context, await ask(ports, 'Sum up.', { maxOutputTokens: 0 })),
  ),
  once('allows a negative answer', /maxOutputTokens is -5/, async (context, ports) =>
    notes(context, await ask(ports, 'Sum up.', { maxOutputTokens: -5 })),
  ),
  once('allows an answer in words', /maxOutputTokens is "many"/, async (context, ports) =>
    notes(context, await ask(ports, 'Sum up.', { maxOutputTokens: 'many' })),
  ),
  once('names a tag with its brackets', /tag is "<summary>"/, async (context, ports) =>
    notes(context, await ask(ports, 'Sum up.', { tag: '<summary>' })),
  ),
  once('asks in the words of another API', /no field max_tokens/, async (context, ports) =>
    notes(context, await ask(ports, 'Sum up.', { max_tokens: 300 })),
  ),
  fault('asks the model while it is created', /llm while it is created/, () => ({
    needs: ['llm'],
    create: ({ llm }) => {
      const warm = llm.complete({ prompt: 'Are you there?' }).catch(() => null);
      return {
        compact: async (context: CompactionContext) => {
          await warm;
          return notes(context, 'Notes.') as never;
        },
      };
    },
  })),
  fault('reads its settings while it is created', /settings while it is created/, () => ({
    needs: ['settings'],
    create: ({ settings }) => {
      const { longest = 5 } = settings() as { longest?: number };
      return { compact: async (context: CompactionContext) => notes(context, `Notes ${longest}.`) as never };
    },
  })),

  // What it returns.
  once('cuts again what its tool cut', /cut when its tool returned/, (context) =>
    edit(
      context,
      (m) => m.role === 'tool' && m.text.length > 40,
      (m) => ({ text: m.text.slice(0, 20).toWellFormed() }),
    ),
  ),
  once('rewords what its tool cut', /cut when its tool returned/, (context) =>
    edit(
      context,
      (m) => m.role === 'tool' && m.truncated,
      () => ({ text: 'cut' }),
    ),
  ),
  once('adds a hundred summaries and more', /summaries.*at most 100/, (context) =>
    context.history.length > 250 ? [...Array.from({ length: 150 }, () => note('x')), ...kept(context)] : null,
  ),
  ...(
    [
      ['a negative cut', /cut -5/, { cut: -5 }],
      ['half a cut', /cut 1\.5/, { cut: 1.5 }],
      ['a cut in words', /cut "12"/, { cut: '12' }],
      ['reasons that are no list', /reasons .*list/, { reasons: 'it was said' }],
      ['a reason that is a text', /reasons.*why/, { reasons: ['it was said'] }],
      ['a reason without why', /reasons.*why/, { reasons: [{ name: 'x' }] }],
      ['a field that nobody reads', /field content/, { content: 'Notes.' }],
    ] as [string, RegExp, object][]
  ).map(([name, rule, more]) => once(`gives its summary ${name}`, rule, (context) => notes(context, 'Notes.', more))),
  once('writes its summary into content', /text/, (context) =>
    gone(context).length ? [{ role: 'user', kind: 'summary', content: 'Notes.' }, ...kept(context)] : null,
  ),
  once('returns a blank summary', /blank text/, (context) => notes(context, '   ')),
  ...(
    [
      [
        'that refer to themselves',
        /refers? to itself/,
        () => {
          const own: { own?: object } = {};
          own.own = own;
          return own;
        },
      ],
      [
        'with a list in itself',
        /refers? to itself/,
        () => {
          const list: unknown[] = [];
          list.push({ list });
          return { list };
        },
      ],
      ['with a map', /details\.map is not a plain object/, () => ({ map: new Map() })],
      ['with a function', /details\.run is function/, () => ({ run: () => 1 })],
      ['with a number that is none', /details\.share is NaN/, () => ({ share: 0 / 0 })],
      ['with a gap', /details\.gap is undefined/, () => ({ gap: undefined })],
      ['that are too many', /larger than 64 KB/, () => 'x'.repeat(70_000)],
    ] as [string, RegExp, () => unknown][]
  ).map(([name, rule, details]) =>
    once(`keeps details ${name}`, rule, (context) => {
      const messages = notes(context, 'Notes.');
      return messages && { messages, details: details() };
    }),
  ),
  once('misspells its details', /field detail\b/, (context) => {
    const messages = notes(context, 'Notes.');
    return messages && { messages, detail: { count: 1 } };
  }),
  once('is smaller only now and then', /smaller/, (context) =>
    context.history.length % 10 === 0 ? notes(context, 'Notes.') : [note('more '.repeat(9)), ...context.history],
  ),
  once('quotes all that it drops, where it is much', /smaller/, (context) =>
    notes(context, gone(context).length > 4 ? JSON.stringify(gone(context)) : 'Notes.'),
  ),

  // Situations that it forgot.
  once('knows only texts', /it threw an error: Cannot read properties of null/, (context) =>
    notes(
      context,
      peoples(context)
        .map((text) => (text.match(/\S+/) as RegExpMatchArray)[0])
        .join(' '),
    ),
  ),
  once('knows only one image to a message', /other attachments/, (context) =>
    edit(
      context,
      (m) => m.role === 'tool' && (m.attachments?.length ?? 0) > 0,
      () => ({ attachments: undefined }),
    ),
  ),
  once('copies messages without their images', /other attachments|another attachments/, ({ history }) =>
    history.map((m) => (m.role === 'assistant' || m.protected ? m : { ...m, attachments: [] })),
  ),
  once('drops an image that is pinned', /protected message/, ({ history }) =>
    history.filter((m) => m.role !== 'user' || m.attachments.length === 0),
  ),
  once('keeps orders as summaries', /has no id and is not a summary|another kind/, (context) =>
    edit(
      context,
      (m) => m.role === 'user' && m.kind === 'reminder',
      () => ({ kind: 'summary' }),
    ),
  ),
  once('takes reminders for the user', /it threw an error: two questions/, (context) => {
    const { history } = context;
    if (history.some((m, i) => m.role === 'user' && history[i + 1]?.role === 'user')) fail('two questions');
    return notes(context, 'Notes.');
  }),
  once('knows its triggers', /it threw an error: what is/, (context) =>
    ['manual', 'threshold', 'precheck', 'overflow', 'agent', 'ahead'].includes(context.trigger)
      ? notes(context, 'Notes.')
      : fail(`what is ${context.trigger}`),
  ),
  once('reads arguments as JSON', /it threw an error: .*JSON/, (context) => {
    for (const m of context.history)
      if (m.role === 'assistant') for (const call of m.toolCalls) JSON.parse(call.arguments);
    return notes(context, 'Notes.');
  }),
];
