/** The panel's end of the bridge: typed messages out, checked messages in, and the little that survives a reload. */

import { decodeToPanel } from '../../src/protocol/decode.ts';
import { type ImageToSend, MOST_IMAGES, type ToHost, type ToPanel } from '../../src/protocol/messages.ts';

/** Kept by the editor while the panel is hidden. */
export interface Saved {
  readonly sessionId: string;
  readonly draft: string;
  readonly images: readonly ImageToSend[];
  /** Rows that were loaded, so that as many are asked for again. */
  readonly count: number;
  /** The row at the top edge and how far it was scrolled, in pixels; null when the reader was at the end. */
  readonly anchor: { readonly rowId: string; readonly offset: number } | null;
  readonly open: readonly string[];
  readonly editing: Editing | null;
  /** The newest question for which a reason to say no was being written, and that reason. */
  readonly reason: Reason | null;
}

export interface Reason {
  readonly approvalId: string;
  readonly text: string;
}

/** A message that is being edited. */
export interface Editing {
  readonly rowId: string;
  /** What stood in the composer before. */
  readonly kept: string;
}

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
    load: () => readSaved(editor.getState()),
    save: (saved) => editor.setState(saved),
  };
}

/** What was saved is ours, but maybe an older version's. */
function readSaved(value: unknown): Saved | null {
  if (typeof value !== 'object' || value === null) return null;
  const { sessionId, draft, images, count, anchor, open, editing, reason } = value as { [K in keyof Saved]?: unknown };
  if (typeof sessionId !== 'string' || typeof draft !== 'string' || typeof count !== 'number') return null;
  return {
    sessionId,
    draft,
    images: readImages(images),
    count,
    anchor: readAnchor(anchor),
    open: Array.isArray(open) ? open.map(String) : [],
    editing: readEditing(editing),
    reason: readReason(reason),
  };
}

function readAnchor(value: unknown): Saved['anchor'] {
  if (typeof value !== 'object' || value === null) return null;
  const { rowId, offset } = value as { rowId?: unknown; offset?: unknown };
  return typeof rowId === 'string' && typeof offset === 'number' ? { rowId, offset } : null;
}

function readEditing(value: unknown): Editing | null {
  if (typeof value !== 'object' || value === null) return null;
  const { rowId, kept } = value as { rowId?: unknown; kept?: unknown };
  return typeof rowId === 'string' && typeof kept === 'string' ? { rowId, kept } : null;
}

function readReason(value: unknown): Reason | null {
  if (typeof value !== 'object' || value === null) return null;
  const { approvalId, text } = value as { approvalId?: unknown; text?: unknown };
  return typeof approvalId === 'string' && typeof text === 'string' ? { approvalId, text } : null;
}

function readImages(value: unknown): readonly ImageToSend[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MOST_IMAGES).flatMap((each: Partial<Record<string, unknown>> | null): ImageToSend[] => {
    const { kind, name, data, blob } = each ?? {};
    if (typeof name !== 'string') return [];
    if (kind === 'new' && typeof data === 'string') return [{ kind, name, data }];
    return kind === 'sent' && typeof blob === 'string' ? [{ kind, name, blob }] : [];
  });
}
