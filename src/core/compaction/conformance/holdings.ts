/**
 * Lists the timers, sockets, servers, processes, workers and watchers that a strategy opened and did not end, in a host
 * that has the hooks of Node. All that its code opens is its own, also in callbacks of something that it opened before.
 */

/** The part of `node:async_hooks` that is used here. */
interface Hooks {
  readonly AsyncLocalStorage: new () => {
    run<T>(store: object | undefined, work: () => T): T;
    getStore(): object | undefined;
  };
  createHook(hooks: {
    init(id: number, type: string, trigger: number, resource: object): void;
    destroy(id: number): void;
  }): { enable(): void; disable(): void };
}

export interface Held {
  /** Such as `timer`. */
  readonly kind: string;
  /** Where it was opened, as far as that is the author's code. */
  readonly stack: string;
}

export interface Holdings {
  /** Runs code of the strategy. */
  own<T>(work: () => T): T;
  /** Runs code of others that the strategy called. */
  apart<T>(work: () => T): T;
  /** Everything that was not ended yet, the oldest first. */
  left(): readonly Held[];
  dispose(): void;
}

const NONE: Holdings = {
  own: (work) => work(),
  apart: (work) => work(),
  left: () => [],
  dispose: () => undefined,
};

/** By the names that Node gives to resources. */
const KINDS: Readonly<Record<string, string>> = {
  Timeout: 'timer',
  Immediate: 'timer',
  TCPWRAP: 'socket',
  PIPEWRAP: 'socket',
  UDPWRAP: 'socket',
  TCPSERVERWRAP: 'server',
  PIPESERVERWRAP: 'server',
  PROCESSWRAP: 'child process',
  WORKER: 'worker',
  MESSAGEPORT: 'message port',
  FSEVENTWRAP: 'file watcher',
  STATWATCHER: 'file watcher',
  SIGNALWRAP: 'listener to a signal',
};

/** Node opens these for the whole process: its standard streams. */
const OF_THE_PROCESS = /node:internal\/bootstrap/;
/** Node ends these by itself, such as idle connections that it keeps for later requests: they count while they hold the process. */
const OF_NODE = /node:(_http_\w+|internal\/(http|deps\/undici|abort_controller|stream_base_commons|worker))/;

interface Opened extends Held {
  readonly resource: { hasRef?(): boolean };
  readonly endsItself: boolean;
}

const FRAMES = 40;

export function watchHoldings(): Holdings {
  const host = (globalThis as { readonly process?: { getBuiltinModule?(name: string): unknown } }).process;
  const hooks = host?.getBuiltinModule?.('node:async_hooks') as Hooks | undefined;
  if (!hooks) return NONE;
  const storage = new hooks.AsyncLocalStorage();
  const owner = {};
  const open = new Map<number, Opened>();
  const hook = hooks.createHook({
    init: (id, type, _, resource) => {
      const kind = KINDS[type];
      if (kind === undefined || storage.getStore() !== owner) return;
      const { own, node } = readStack();
      if (OF_THE_PROCESS.test(node)) return;
      const endsItself = OF_NODE.test(node) || kind === 'message port';
      open.set(id, { kind, stack: `A ${kind} was opened here\n${own}`, resource, endsItself });
    },
    destroy: (id) => void open.delete(id),
  });
  hook.enable();
  return {
    own: (work) => storage.run(owner, work),
    apart: (work) => storage.run(undefined, work),
    left: () => [...open.values()].filter(({ endsItself, resource }) => !endsItself || resource.hasRef?.() === true),
    dispose: () => hook.disable(),
  };
}

/** The frames of the author who opened it, and those of Node before them. */
function readStack(): { readonly own: string; readonly node: string } {
  const limited = Error as { stackTraceLimit?: number };
  const before = limited.stackTraceLimit;
  limited.stackTraceLimit = FRAMES;
  // Without the message and the two functions of this file.
  const frames = (new Error().stack ?? '').split('\n').slice(3);
  if (before !== undefined) limited.stackTraceLimit = before;
  const isNodes = (frame: string) => /node:|<anonymous>\)?$/.test(frame);
  const first = frames.findIndex((frame) => !isNodes(frame));
  const node = frames.slice(0, first < 0 ? frames.length : first);
  return { own: frames.filter((frame) => !isNodes(frame)).join('\n'), node: node.join('\n') };
}
