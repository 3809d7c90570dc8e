/** Errors of a strategy that nobody caught, in a host that has the events of Node. */

/** The part of Node's `process` that the kit uses; elsewhere there is none. */
interface Host {
  on(event: StrayEvent, listener: (thrown: unknown) => void): unknown;
  off(event: StrayEvent, listener: (thrown: unknown) => void): unknown;
  listeners(event: StrayEvent): readonly ((...given: never[]) => void)[];
}

type StrayEvent = 'unhandledRejection' | 'uncaughtException';

const EVENTS: readonly StrayEvent[] = ['unhandledRejection', 'uncaughtException'];

export interface Strays {
  /** Errors that nobody caught since the last call. */
  take(): readonly unknown[];
  /** Gives the events back to their listeners of before. */
  dispose(): void;
}

const NONE: Strays = { take: () => [], dispose: () => undefined };

/**
 * Takes uncaught errors away from other listeners, such as a test runner's, because the kit reports them: one of a
 * strategy must not end the check.
 */
export function watchStrays(): Strays {
  const host = (globalThis as { readonly process?: Partial<Host> }).process;
  if (!isHost(host)) return NONE;
  let found: unknown[] = [];
  const listener = (thrown: unknown) => void found.push(thrown);
  const before = EVENTS.map((event) => [event, host.listeners(event)] as const);
  for (const [event, listeners] of before) {
    for (const each of listeners) host.off(event, each as never);
    host.on(event, listener);
  }
  return {
    take: () => {
      const taken = found;
      found = [];
      return taken;
    },
    dispose: () => {
      for (const [event, listeners] of before) {
        host.off(event, listener);
        for (const each of listeners) host.on(event, each as never);
      }
    },
  };
}

const isHost = (host: Partial<Host> | undefined): host is Host =>
  typeof host?.on === 'function' && typeof host.off === 'function' && typeof host.listeners === 'function';
