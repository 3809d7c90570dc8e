/** The panel's end of the bridge: typed messages out, validated messages in, and the editor's copy of the page's state. */

import { type Saved, savedSchema } from '../../src/protocol/kept.ts';
import { decodeToPanel, type ToHost, type ToPanel } from '../../src/protocol/messages.ts';

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
    // An older version of the page may have saved it.
    load: () => savedSchema.safeParse(editor.getState()).data ?? null,
    save: (saved) => editor.setState(saved),
  };
}
