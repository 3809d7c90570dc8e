// @ts-check
import * as vscode from 'vscode';

/** A second longer, so that no timer of that length still waits. */
const PASSES_MS = 211_000;

/** @param {vscode.ExtensionContext} context */
export function activate(context) {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const { now } = Date;
  let gone = 0;
  /** Timers of a minute and more: shorter ones end by themselves. @type {Map<unknown, { due: number, run: () => void }>} */
  const waiting = new Map();
  Date.now = () => now() + gone;
  globalThis.setTimeout = Object.assign(
    /** @type {(run: (...given: any[]) => void, ms?: number, ...given: any[]) => NodeJS.Timeout} */
    (run, ms = 0, ...given) => {
      const handle = set(() => {
        waiting.delete(handle);
        run(...given);
      }, ms);
      if (ms >= 60_000) waiting.set(handle, { due: Date.now() + ms, run: () => run(...given) });
      return handle;
    },
    { __promisify__: set.__promisify__ },
  );
  globalThis.clearTimeout = (handle) => {
    waiting.delete(handle);
    clear(handle);
  };
  context.subscriptions.push(
    vscode.commands.registerCommand('later.pass', () => {
      gone += PASSES_MS;
      for (const [handle, { due, run }] of [...waiting].sort(([, a], [, b]) => a.due - b.due)) {
        if (due > Date.now()) continue;
        globalThis.clearTimeout(/** @type {NodeJS.Timeout} */ (handle));
        run();
      }
    }),
  );
}
