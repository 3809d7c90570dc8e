/** Shows a notification with Cancel for work that takes long. */

import * as vscode from 'vscode';
import type { Words } from '../../core/words.ts';
import { systemTimers } from '../../providers/timers.ts';
import { say } from './say.ts';
import { slowWork } from './slowWork.ts';

/** From then on a person wonders what is going on. */
const SLOW_MS = 1_000;
/** Between two questions, where nothing else shows that something is under way. */
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
