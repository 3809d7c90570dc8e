/**
 * Strategies whose fault outlasts a call: what they open and never end, what their module remembers, what they ask in
 * continuation of the session's last request, and what they do to stubs. Beside them, strategies that do the same as they
 * should. `options` are those of the check.
 */

import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync, readFileSync, unwatchFile, watch, watchFile, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, get, type Server } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setInterval as everyPromised, setTimeout as laterPromised } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { CompactionContext, ContextMessage, StrategyPorts } from '../../../../src/api/index.ts';
import type { AnyFactory } from '../../../../src/core/compaction/strategies/strategyEntry.ts';
import type { Fault } from './guideFaults.ts';

type Compact = (context: CompactionContext, ports: StrategyPorts) => unknown;
type Llm = CompactionContext['llm'];
type Continued = NonNullable<Llm['continue']>;

/** What faults leave open on purpose; a test ends it. */
export const LEFT_OPEN: (() => void)[] = [];
const later = (end: () => void) => void LEFT_OPEN.push(end);
function keepTimer<T extends NodeJS.Timeout>(timer: T): T {
  later(() => clearTimeout(timer));
  return timer;
}

const NEEDS = ['llm', 'countTokens', 'log', 'settings'];

/** `open` is called by `create`: what it returns besides `compact` is part of the strategy. */
const made = (open: (ports: StrategyPorts) => { compact: Compact } & Record<string, unknown>): AnyFactory =>
  ({
    needs: NEEDS,
    create: (ports: StrategyPorts) => {
      const { compact, ...more } = open(ports);
      return { compact: async (context: CompactionContext) => compact(context, ports), ...more };
    },
  }) as unknown as AnyFactory;
const only = (compact: Compact): AnyFactory => made(() => ({ compact }));

const note = (text: string) => ({ role: 'user', kind: 'summary', text });
function kept({ history }: CompactionContext): readonly ContextMessage[] {
  const blocks = new Set(history.flatMap((message) => (message.protected ? [message.block] : [])));
  return history.filter(({ block }) => blocks.has(block));
}
const gone = (context: CompactionContext) => {
  const stays = new Set(kept(context));
  return context.history.filter((message) => !stays.has(message));
};
const notes = (context: CompactionContext, text = 'Notes.') =>
  gone(context).length === 0 ? null : [note(text), ...kept(context)];
const hideResults = ({ history, hide }: CompactionContext, change: (hidden: ContextMessage) => ContextMessage) =>
  history.map((message) => {
    const hidden = message.role === 'tool' ? hide(message) : message;
    return hidden === message ? message : change(hidden);
  });
/** The part of the history that may be covered by one question: all of it. */
const whole = ({ history }: CompactionContext) => history;

const RUNS_ON = /it runs on: .*left after all its \d+ instances/;
const BY_ID = /under the session id|whether other sessions came before/;
const BEFORE = /whether other sessions came before/;
const PLACEHOLDER = /another (tokens|hidden)|changed placeholder/;
const NOT_AS_THEY_ARE = /covers of its llm\.continue are not messages of history as they are/;

const OPEN = { cases: 3, deadlineMs: 3_000 };
const MANY = { cases: 20 };

const fault = (name: string, rule: RegExp, make: () => AnyFactory, options: Fault['options'] = {}): Fault => ({
  name,
  rule,
  make,
  options,
});
const opens = (name: string, open: () => void): Fault =>
  fault(
    `opens ${name} when it is created`,
    RUNS_ON,
    () =>
      made(() => {
        open();
        return { compact: (context) => notes(context) };
      }),
    OPEN,
  );
const opensLate = (name: string, open: () => void): Fault =>
  fault(
    `opens ${name} at its first compaction`,
    RUNS_ON,
    () => {
      let opened = false;
      return only((context) => {
        if (!opened) open();
        opened = true;
        return notes(context);
      });
    },
    OPEN,
  );
const continues = (
  name: string,
  rule: RegExp,
  ask: (going: Continued, context: CompactionContext) => Promise<{ readonly text: string } | null>,
): Fault =>
  fault(
    name,
    rule,
    () =>
      only(async (context) => {
        if (gone(context).length === 0) return null;
        const going = context.llm.continue;
        const answer = (going && (await ask(going, context))) ?? (await context.llm.complete({ prompt: 'Sum up.' }));
        return notes(context, answer.text);
      }),
    MANY,
  );

/** Something that can be opened, and how a test ends it. */
const THINGS: Readonly<Record<string, () => void>> = {
  'an interval': () => void keepTimer(setInterval(() => 0, 60_000)),
  'an interval that does not hold the process': () => void keepTimer(setInterval(() => 0, 60_000).unref()),
  'a timer': () => void keepTimer(setTimeout(() => 0, 60_000)),
  'a timer that starts itself again': () => {
    let on = true;
    later(() => {
      on = false;
    });
    const again = () => void (on && setTimeout(again, 5));
    again();
  },
  'a loop of turns': () => {
    let on = true;
    later(() => {
      on = false;
    });
    const again = () => void (on && setImmediate(again));
    again();
  },
  'an interval that is iterated': () => {
    const stop = new AbortController();
    later(() => stop.abort());
    void (async () => {
      for await (const _ of everyPromised(60_000, null, { signal: stop.signal }));
    })().catch(() => undefined);
  },
  'a server': () => {
    const server = createServer().listen(0, '127.0.0.1');
    later(() => server.close());
  },
  'a server that does not hold the process': () => {
    const server = createHttpServer().listen(0, '127.0.0.1').unref();
    later(() => server.close());
  },
  'a connection': () => {
    const server = createServer((peer) => {
      peer.on('error', () => undefined);
      // Closed no earlier: a connection that nobody accepted would be reset.
      server.close();
    }).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      const socket = connect(port, '127.0.0.1').unref();
      later(() => socket.destroy());
    });
  },
  'a datagram socket': () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    later(() => socket.close());
  },
  'a child process': () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], { stdio: 'ignore' });
    later(() => child.kill('SIGKILL'));
  },
  'a child process of its own group': () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], { stdio: 'ignore', detached: true });
    child.unref();
    later(() => child.kill('SIGKILL'));
  },
  'a worker': () => {
    const worker = new Worker('setInterval(() => 0, 1e6)', { eval: true });
    later(() => void worker.terminate());
  },
  'a watcher of a folder': () => {
    const watcher = watch(tmpdir());
    later(() => watcher.close());
  },
  'a watcher of a file': () => {
    const path = join(tmpdir(), 'not-there');
    watchFile(path, { interval: 60_000 }, () => 0);
    later(() => unwatchFile(path));
  },
  'a channel': () => {
    const channel = new BroadcastChannel('kit');
    later(() => channel.close());
  },
  'a listener to a signal': () => {
    const listener = () => undefined;
    process.on('SIGHUP', listener);
    later(() => void process.off('SIGHUP', listener));
  },
};

const registry = globalThis as unknown as Record<string, Record<string, number> | undefined>;

/** Each counts, under the session's id, and says how often it came. */
const COUNTERS: readonly [name: string, count: () => (id: string) => number][] = [
  [
    'in a map of its module',
    () => {
      const counts = new Map<string, number>();
      return (id) => counts.set(id, (counts.get(id) ?? 0) + 1).get(id) ?? 0;
    },
  ],
  [
    'in an object of its module',
    () => {
      const counts: Record<string, number> = {};
      return (id) => {
        counts[id] = (counts[id] ?? 0) + 1;
        return counts[id];
      };
    },
  ],
  [
    'in a class',
    () => {
      class Memory {
        static readonly all: [string, number][] = [];
        readonly count = 0;
      }
      return (id) => {
        const own = Memory.all.find(([name]) => name === id) ?? [id, 0];
        if (own[1]++ === 0) Memory.all.push(own);
        return own[1];
      };
    },
  ],
  [
    'in the globals',
    () => {
      const key = `kit-${Math.random()}`;
      return (id) => {
        const counts = registry[key] ?? {};
        registry[key] = counts;
        counts[id] = (counts[id] ?? 0) + 1;
        return counts[id];
      };
    },
  ],
  [
    'in the environment',
    () => {
      const key = `KIT_${Math.random().toString(36).slice(2)}_`;
      return (id) => {
        const name = key + id.replaceAll('-', '_');
        process.env[name] = String(Number(process.env[name] ?? 0) + 1);
        later(() => delete process.env[name]);
        return Number(process.env[name]);
      };
    },
  ],
  [
    'on the disk',
    () => {
      const path = join(tmpdir(), `kit-${Math.random().toString(36).slice(2)}-`);
      return (id) => {
        const before = existsSync(path + id) ? Number(readFileSync(path + id, 'utf8')) : 0;
        writeFileSync(path + id, String(before + 1));
        return before + 1;
      };
    },
  ],
];

const remembers = (name: string, make: () => AnyFactory, rule = BY_ID): Fault => fault(name, rule, make, { cases: 2 });

export const LASTING: readonly Fault[] = [
  // What is open after dispose.
  ...Object.entries(THINGS).map(([name, open]) => opens(name, open)),
  ...Object.entries(THINGS).map(([name, open]) => opensLate(name, open)),
  fault('starts one interval for all, and never ends it', RUNS_ON, () => {
    const timers: NodeJS.Timeout[] = [];
    return only((context) => {
      if (timers.length === 0) timers.push(keepTimer(setInterval(() => 0, 60_000)));
      return notes(context);
    });
  }),
  fault('ends only its newest interval', RUNS_ON, () =>
    made(() => {
      let timer: NodeJS.Timeout | undefined;
      return {
        compact: (context) => {
          timer = keepTimer(setInterval(() => 0, 60_000));
          return notes(context);
        },
        dispose: () => clearInterval(timer),
      };
    }),
  ),
  fault('starts a timer in dispose', RUNS_ON, () =>
    made(() => ({ compact: (context) => notes(context), dispose: () => keepTimer(setTimeout(() => 0, 60_000)) })),
  ),
  fault('starts an interval when it is asked whether it is time', RUNS_ON, () =>
    made(() => ({
      compact: (context) => notes(context),
      shouldCompact: () => {
        keepTimer(setInterval(() => 0, 60_000));
        return undefined;
      },
    })),
  ),
  fault('starts an interval where the model fails', RUNS_ON, () =>
    only(async (context, { llm }) => {
      const { text } = await llm.complete({ prompt: 'Sum up.' }).catch((thrown) => {
        keepTimer(setInterval(() => 0, 60_000));
        throw thrown;
      });
      return notes(context, text);
    }),
  ),
  fault('races the model against a timer that it leaves', RUNS_ON, () =>
    only(async (context, { llm }) => {
      const late = new Promise<never>((_, reject) => keepTimer(setTimeout(reject, 60_000)));
      const { text } = await Promise.race([llm.complete({ prompt: 'Sum up.' }), late]);
      return notes(context, text);
    }),
  ),
  fault('starts an interval in a callback of what it ended', RUNS_ON, () =>
    only((context) => {
      setTimeout(() => keepTimer(setInterval(() => 0, 60_000)), 0);
      return notes(context);
    }),
  ),

  // What its module remembers.
  ...COUNTERS.map(([name, open]) =>
    remembers(`counts the compactions of a session ${name}`, () => {
      const count = open();
      return only((context) => notes(context, `Compacted ${count(context.sessionId)} times.`));
    }),
  ),
  remembers('keeps its notes under the session id', () => {
    const all = new Map<string, string>();
    return only((context) => {
      const text = `${all.get(context.sessionId) ?? ''}${context.history.length};`;
      all.set(context.sessionId, text);
      return notes(context, text);
    });
  }),
  remembers('keeps under the session id what it dropped', () => {
    const all = new Map<string, Set<string>>();
    return only((context) => {
      const dropped = all.get(context.sessionId) ?? new Set();
      all.set(context.sessionId, dropped);
      for (const { id } of gone(context)) dropped.add(id);
      return notes(context, `Without ${dropped.size} messages.`);
    });
  }),
  remembers('compacts a session only once', () => {
    const done = new Set<string>();
    return only((context) => {
      const again = done.has(context.sessionId);
      if (!again && gone(context).length > 0) done.add(context.sessionId);
      return again ? null : notes(context);
    });
  }),
  remembers('keeps the first target of a session', () => {
    const targets = new Map<string, number>();
    return only((context) => {
      const target = targets.get(context.sessionId) ?? context.targetTokens;
      targets.set(context.sessionId, target);
      return notes(context, `To fit into ${target}.`);
    });
  }),
  remembers('keeps details beside the ones that it returns', () => {
    const all = new Map<string, number>();
    return only((context) => {
      const count = (all.get(context.sessionId) ?? 0) + 1;
      all.set(context.sessionId, count);
      const messages = notes(context);
      return messages && { messages, details: { count } };
    });
  }),
  remembers(
    'greets the first session only',
    () => {
      let greeted = false;
      return only((context) => {
        const text = greeted ? 'Notes.' : 'The first notes of all.';
        greeted = true;
        return notes(context, text);
      });
    },
    BEFORE,
  ),
  // What it asks in continuation of the last request.
  fault(
    'takes for granted that a request can be continued',
    /continue is not a function/,
    () =>
      only(async (context) => {
        const answer = await (context.llm.continue as Continued)({ covers: whole(context), task: 'Sum up.' });
        return notes(context, answer?.text);
      }),
    MANY,
  ),
  fault(
    'takes for granted that this one can be continued',
    /it threw an error: .*null/,
    () =>
      only(async (context) => {
        const { continue: going, complete } = context.llm;
        const { text } = going
          ? ((await going({ covers: whole(context), task: 'Sum up.' })) as { text: string })
          : await complete({ prompt: 'Sum up.' });
        return notes(context, text);
      }),
    MANY,
  ),
  continues('covers copies', NOT_AS_THEY_ARE, (going, context) =>
    going({ covers: whole(context).map((message) => ({ ...message })), task: 'Sum up.' }),
  ),
  continues('covers what it hid', NOT_AS_THEY_ARE, (going, context) =>
    going({ covers: hideResults(context, (hidden) => hidden), task: 'Sum up.' }),
  ),
  continues('covers what it shortened', NOT_AS_THEY_ARE, (going, context) =>
    going({
      covers: whole(context).map((m) => (m.text.length > 40 ? { ...m, text: m.text.slice(0, 40).toWellFormed() } : m)),
      task: 'Sum up.',
    }),
  ),
  continues('covers every second message', /not one piece of the history/, (going, context) =>
    going({ covers: whole(context).filter((_, nth) => nth % 2 === 0), task: 'Sum up.' }),
  ),
  continues('covers the results alone', /not one piece of the history/, (going, context) => {
    const results = whole(context).filter(({ role }) => role === 'tool');
    return results.length > 0 ? going({ covers: results, task: 'Sum up.' }) : Promise.resolve(null);
  }),
  continues('covers the beginning and the end', /not one piece of the history/, (going, context) =>
    going({ covers: [...whole(context).slice(0, 1), ...whole(context).slice(-1)], task: 'Sum up.' }),
  ),
  continues('covers nothing', /covers of its llm\.continue are an empty list/, (going) =>
    going({ covers: [], task: 'Sum up.' }).catch(() => null),
  ),
  continues('asks with a prompt', /llm\.continue has no field prompt/, (going, context) =>
    going({ covers: whole(context), task: 'Sum up.', prompt: 'Sum up.' } as never),
  ),
  continues('asks without a task', /llm\.continue takes \{ covers, task \}/, (going, context) =>
    going({ covers: whole(context) } as never),
  ),
  continues('allows no answer to it', /maxOutputTokens is 0/, (going, context) =>
    going({ covers: whole(context), task: 'Sum up.', maxOutputTokens: 0 }),
  ),
  continues('names the tag of its answer with brackets', /tag is "<summary>"/, (going, context) =>
    going({ covers: whole(context), task: 'Sum up.', tag: '<summary>' }),
  ),
  continues('makes a summary of an error of it', /message of an error/, (going, context) =>
    going({ covers: whole(context), task: 'Sum up.' }).catch((thrown: Error) => ({ text: thrown.message })),
  ),
  fault(
    'continues with the context of its first call',
    /llm of an earlier call|not messages of history|which is not/,
    () =>
      made(() => {
        let first: CompactionContext | null = null;
        return {
          compact: async (context) => {
            first ??= context;
            const { llm } = first;
            const answer =
              (await llm.continue?.({ covers: whole(context), task: 'Sum up.' }).catch(() => null)) ??
              (await context.llm.complete({ prompt: 'Sum up.' }));
            return notes(context, answer.text);
          },
        };
      }),
    MANY,
  ),

  // What it does to stubs.
  ...(
    [
      ['says that a stub has one token', { tokens: 1 }],
      ['says that a stub has none', { tokens: 0 }],
      ['says that a stub is larger', { tokens: 99_999 }],
      ['says in words how large a stub is', { tokens: 'few' }],
      ['leaves out how large a stub is', { tokens: undefined }],
      ['says that a stub is perhaps hidden', { hidden: 'yes' }],
    ] as [string, object][]
  ).map(([name, more]) =>
    fault(name, PLACEHOLDER, () => only((context) => hideResults(context, (hidden) => ({ ...hidden, ...more })))),
  ),
  fault('halves the size of each stub', PLACEHOLDER, () =>
    only((context) => hideResults(context, (hidden) => ({ ...hidden, tokens: Math.ceil(hidden.tokens / 2) }))),
  ),
  fault(
    'takes each stub for one line',
    /it threw an error: a stub of lines/,
    () =>
      only((context) =>
        hideResults(context, (hidden) => {
          if (hidden.text.includes('\n')) throw new Error('a stub of lines');
          return hidden;
        }),
      ),
    MANY,
  ),
  fault(
    'reads the id out of each stub',
    /it threw an error: no id/,
    () =>
      only((context) =>
        hideResults(context, (hidden) => {
          if (!/recall with id m\d+/.test(hidden.text)) throw new Error('no id');
          return hidden;
        }),
      ),
    MANY,
  ),
  fault(
    'keeps the first line of each stub',
    PLACEHOLDER,
    () => only((context) => hideResults(context, (hidden) => ({ ...hidden, text: hidden.text.split('\n')[0] ?? '' }))),
    MANY,
  ),
];

/** The same, as it should be. */
export const LASTING_HONEST: readonly { readonly name: string; readonly make: () => AnyFactory }[] = [
  {
    name: 'ends its interval in dispose',
    make: () =>
      made(() => {
        const timer = setInterval(() => 0, 60_000);
        return { compact: (context) => notes(context), dispose: () => clearInterval(timer) };
      }),
  },
  {
    name: 'shares one interval, and ends it with its last instance',
    make: () => {
      let [timer, users]: [NodeJS.Timeout | undefined, number] = [undefined, 0];
      return made(() => {
        users++;
        timer ??= setInterval(() => 0, 60_000);
        return {
          compact: (context) => notes(context),
          dispose: () => {
            if (--users > 0) return;
            clearInterval(timer);
            timer = undefined;
          },
        };
      });
    },
  },
  {
    name: 'races the model against a timer that it ends',
    make: () =>
      only(async (context, { llm }) => {
        let timer: NodeJS.Timeout | undefined;
        try {
          const late = new Promise<never>((_, reject) => {
            timer = setTimeout(reject, 60_000);
          });
          const { text } = await Promise.race([llm.complete({ prompt: 'Sum up.' }), late]);
          return notes(context, text);
        } finally {
          clearTimeout(timer);
        }
      }),
  },
  {
    name: 'gives its questions a time limit',
    make: () =>
      only(async (context, { llm }) =>
        notes(context, (await llm.complete({ prompt: 'Sum up.', signal: AbortSignal.timeout(60_000) })).text),
      ),
  },
  {
    name: 'waits a little, pauses and goes on in a later turn',
    make: () =>
      only(async (context) => {
        await laterPromised(1);
        await context.pause();
        await new Promise((resolve) => setImmediate(resolve));
        return notes(context);
      }),
  },
  {
    name: 'runs a process for each compaction',
    make: () =>
      only(async (context) => {
        await new Promise((resolve) => spawn(process.execPath, ['-v'], { stdio: 'pipe' }).on('close', resolve));
        return notes(context);
      }),
  },
  {
    name: 'keeps a process, and ends it in dispose',
    make: () =>
      made(() => {
        let child: ReturnType<typeof spawn> | undefined;
        return {
          compact: (context) => {
            child ??= spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], { stdio: 'pipe' });
            return notes(context);
          },
          dispose: () => child?.kill('SIGKILL'),
        };
      }),
  },
  {
    name: 'keeps a worker, and ends it in dispose',
    make: () =>
      made(() => {
        let worker: Worker | undefined;
        return {
          compact: (context) => {
            worker ??= new Worker('setInterval(() => 0, 1e6)', { eval: true });
            return notes(context);
          },
          dispose: async () => {
            await worker?.terminate();
          },
        };
      }),
  },
  {
    name: 'keeps a server, and closes it in dispose',
    make: () =>
      made(() => {
        const server = createServer().listen(0, '127.0.0.1');
        return {
          compact: (context) => notes(context),
          dispose: () => new Promise((resolve) => server.close(resolve)),
        };
      }),
  },
  {
    name: 'asks a service of its own over http, whose connections Node keeps',
    make: () => {
      let service: Promise<{ readonly server: Server; readonly port: number }> | undefined;
      let users = 0;
      const begin = () =>
        new Promise<{ readonly server: Server; readonly port: number }>((resolve) => {
          const server = createHttpServer((_, response) => response.end('Notes.')).listen(0, '127.0.0.1', () =>
            resolve({ server, port: (server.address() as { port: number }).port }),
          );
        });
      return made(() => {
        users++;
        return {
          compact: async (context) => {
            service ??= begin();
            const { port } = await service;
            const url = `http://127.0.0.1:${port}`;
            const fetched = await (await fetch(url)).text();
            await new Promise((resolve) => get(url, (response) => response.resume().on('end', resolve)));
            return notes(context, fetched);
          },
          dispose: async () => {
            if (--users > 0 || !service) return;
            const { server } = await service;
            service = undefined;
            server.closeAllConnections();
            server.close();
          },
        };
      });
    },
  },
  {
    name: 'watches a folder, and ends that in dispose',
    make: () =>
      made(() => {
        const watcher = watch(tmpdir());
        return { compact: (context) => notes(context), dispose: () => watcher.close() };
      }),
  },
  {
    name: 'prints what it does',
    make: () =>
      only((context) => {
        process.stderr.write('');
        process.stdout.write('');
        return notes(context);
      }),
  },
  {
    name: 'caches what it can work out again by session id',
    make: () => {
      const counts = new Map<string, number>();
      return only((context) => {
        const key = `${context.sessionId} ${gone(context)
          .map(({ id }) => id)
          .join()}`;
        if (!counts.has(key)) counts.set(key, gone(context).length);
        return notes(context, `Notes of ${counts.get(key)} messages.`);
      });
    },
  },
  {
    name: 'draws by the session id',
    make: () =>
      only((context) =>
        notes(context, `Drawn: ${[...context.sessionId].reduce((n, c) => (n * 31 + c.charCodeAt(0)) % 7, 0)}`),
      ),
  },
  { name: 'names the session', make: () => only((context) => notes(context, `Notes of ${context.sessionId}.`)) },
  {
    name: 'counts in its details',
    make: () =>
      only((context) => {
        const count = ((context.details as { count: number } | undefined)?.count ?? 0) + 1;
        const messages = notes(context, `Compacted ${count} times.`);
        return messages && { messages, details: { count } };
      }),
  },
  {
    name: 'continues the last request about all that is there, where it can',
    make: () =>
      only(async (context) => {
        if (gone(context).length === 0) return null;
        const answer =
          (await context.llm.continue?.({ covers: whole(context), task: 'Sum up.', tag: 'summary' })) ??
          (await context.llm.complete({ prompt: 'Sum up.' }));
        return notes(context, answer.text);
      }),
  },
  {
    name: 'continues the last request about the beginning, and keeps the rest',
    make: () =>
      only(async (context) => {
        const { history } = context;
        const half = history[history.length >> 1]?.block ?? 0;
        const old = history.filter(({ block }) => block < half);
        const goes = new Set(gone(context));
        if (!old.some((message) => goes.has(message))) return null;
        const answer =
          (await context.llm.continue?.({ covers: old, task: 'Sum up.', maxOutputTokens: 300 })) ??
          (await context.llm.complete({ prompt: 'Sum up.' }));
        return [note(answer.text), ...history.filter((m) => m.block >= half || !goes.has(m))];
      }),
  },
  {
    name: 'continues, and goes on without a summary where that fails',
    make: () =>
      only(async (context) => {
        const asked = context.llm.continue?.({ covers: whole(context), task: 'Sum up.' });
        const answer = await asked?.catch(() => null);
        return answer ? notes(context, answer.text) : hideResults(context, (hidden) => hidden);
      }),
  },
  { name: 'copies its stubs', make: () => only((context) => hideResults(context, (hidden) => ({ ...hidden }))) },
  {
    name: 'asks what a stub costs',
    make: () => only((context) => hideResults(context, (hidden) => ({ ...hidden, tokens: context.tokensOf(hidden) }))),
  },
];
