/** The panel's end of the bridge: typed messages out, checked messages in, and the little that survives a reload. */

import { decodeToPanel } from '../../src/protocol/decode.ts';
import { type Saved, savedSchema } from '../../src/protocol/kept.ts';
import type { ToHost, ToPanel } from '../../src/protocol/messages.ts';

interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): EditorApi;

export interface Host {
  post(message: ToHost): void;
  load(): Saved | null;
  save(saved: Saved): void;
}

export function connectHost(onFrame: (frame: readonly ToPanel[]) => void): Host {
  const editor = acquireVsCodeApi();
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    const decoded = decodeToPanel(event.data);
    if (decoded.kind === 'ok') onFrame(decoded.value);
    else console.error(`Palimpsest: a message from the extension does not fit. ${decoded.reason}`);
  });
  return {
    post: (message) => editor.postMessage(message),
    // What was saved is ours, but maybe an older version's.
    load: () => savedSchema.safeParse(editor.getState()).data ?? null,
    save: (saved) => editor.setState(saved),
  };
}
