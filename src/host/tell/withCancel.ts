/** Shows a notification with Cancel for slow work. */

import * as vscode from 'vscode';
import type { Timers } from '../../core/ports.ts';
import type { Words } from '../../core/words.ts';
import { systemTimers } from '../../providers/timers.ts';
import { say } from './notify.ts';

/** Longer waits need an explanation. */
const SLOW_MS = 1_000;

/** Used between two questions, where nothing else shows progress. */
export const SOON_MS = 300;

/** Rejects as `act` does when its signal is aborted. */
export function withCancel<T>(title: Words, act: (signal: AbortSignal) => Promise<T>, afterMs = SLOW_MS): Promise<T> {
  const place = { location: vscode.ProgressLocation.Notification, title: say(title), cancellable: true };
  return slowWork(act, {
    afterMs,
    timers: systemTimers,
    show: (cancel, ended) => {
      void vscode.window.withProgress(place, (_, token) => {
        token.onCancellationRequested(cancel);
        return ended;
      });
    },
  });
}

/** Shows progress until `ended` resolves, with a way to cancel. */
export type ShowProgress = (cancel: () => void, ended: Promise<unknown>) => void;

export async function slowWork<T>(
  act: (signal: AbortSignal) => Promise<T>,
  { show, timers, afterMs }: { readonly show: ShowProgress; readonly timers: Timers; readonly afterMs: number },
): Promise<T> {
  const abort = new AbortController();
  const work = act(abort.signal);
  const ended = Promise.allSettled([work]);
  const stopWaiting = timers.after(afterMs, () => show(() => abort.abort(), ended));
  try {
    return await work;
  } finally {
    stopWaiting();
  }
}
