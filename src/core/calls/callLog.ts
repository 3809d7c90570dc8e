/**
 * The calls on a path with how each ended and what it did, folded entry by entry: each is read once, and only what a
 * later entry says of it changes.
 */

import type { BackgroundState, CallOutcome, ToolCall, ToolMessage } from '../context/message.ts';
import type { FileImage, FilesEntry, MessageEntry, TreeEntry } from '../journal/entry.ts';
import { commandOf } from './commandsInCalls.ts';
import { effectsOf, type FileEffect, isWithin, namesIn } from './effects.ts';
import { filesIn, plainPath } from './filesInCalls.ts';
import { MadeChanges } from './madeChanges.ts';
import { backgroundOf, endsIn, readOutcome } from './outcome.ts';

export interface CallRecord {
  readonly call: ToolCall;
  /** `seq` of its answer. */
  readonly seq: number;
  /** With its `seq`; null while it is open. */
  result: { readonly seq: number; readonly message: ToolMessage } | null;
  /** Of a command in the background, as it was last seen. Null while it is open. */
  outcome: CallOutcome | null;
  /** In order; also those that were taken back since. */
  effects: readonly FileEffect[];
  takenBack?: boolean;
}

/** The newest effect on a file. */
export interface LastEffect {
  readonly record: CallRecord;
  readonly effect: FileEffect;
}

/** A path that begins at a root. */
const IS_WHOLE = /^(?:\/|[A-Za-z]:|~)/;

export class CallLog {
  /** The calls of the newest answer that have no result. */
  readonly #open = new Map<string, CallRecord>();
  /** Each file as those left it, by their ids. */
  readonly #kept = new Map<string, Map<string, FileImage>>();
  /** Commands that were last seen running, by their ids. */
  readonly #running = new Map<string, CallRecord>();
  readonly #made = new MadeChanges<CallRecord>();
  /** Files that calls read or changed. */
  readonly #named = new Set<string>();
  /** Of them: those that a call created. */
  readonly #created = new Set<string>();
  /** By path; null where every change was taken back. */
  readonly #last = new Map<string, LastEffect | null>();

  /** Adds the next entry of the path. Returns the calls of which it tells something new. */
  add(entry: TreeEntry): readonly CallRecord[] {
    if (entry.type === 'message') return this.#message(entry);
    if (entry.type === 'files') this.#files(entry);
    return [];
  }

  /** The newest effect on a file; undefined for an untouched one, null where all of it was taken back. */
  last(path: string): LastEffect | null | undefined {
    return this.#last.get(path);
  }

  #message({ seq, message }: MessageEntry): readonly CallRecord[] {
    if (message.role === 'tool') return this.#answer(seq, message);
    this.#open.clear();
    this.#kept.clear();
    if (message.role === 'user') return endsIn(message.text).flatMap((state) => this.#end(state) ?? []);
    if (message.role === 'assistant' && !message.interrupted)
      for (const call of message.toolCalls ?? [])
        this.#open.set(call.id, { call, seq, result: null, outcome: null, effects: [] });
    return [];
  }

  #answer(seq: number, message: ToolMessage): readonly CallRecord[] {
    const id = message.toolCallId;
    const record = this.#open.get(id);
    if (!record) return [];
    this.#open.delete(id);
    record.result = { seq, message };
    record.outcome = readOutcome(message);
    const kept = [...(this.#kept.get(id)?.values() ?? [])];
    const effects = effectsOf(record.call, message, kept);
    record.effects =
      commandOf(record.call) === null || kept.length > 0 ? effects : effects.flatMap((each) => this.#ofNamed(each));
    if (record.outcome.kind === 'made') for (const { path } of filesIn(record.call)) this.#named.add(plainPath(path));
    for (const name of namesIn(record.effects)) this.#named.add(name);
    if (message.change?.creates) this.#created.add(plainPath(message.change.path));
    for (const effect of record.effects) {
      this.#last.set(effect.path, { record, effect });
      if (effect.to !== undefined) this.#last.set(effect.to, { record, effect });
    }
    const started = this.#follow(record, message);
    return started ? [record, started] : [record];
  }

  /** The command that was started earlier and of which this result says how it ended. */
  #follow(record: CallRecord, message: ToolMessage): CallRecord | null {
    const state = backgroundOf(record.call, message);
    if (!state) return null;
    if (state.state === 'running') {
      if (record.outcome?.kind === 'running') this.#running.set(state.id, record);
      return null;
    }
    return this.#end(state);
  }

  #end(state: BackgroundState): CallRecord | null {
    const { id, exitCode } = state;
    const started = this.#running.get(id);
    if (!started) return null;
    this.#running.delete(id);
    const own = exitCode === undefined ? null : ({ kind: exitCode === 0 ? 'made' : 'failed', exitCode } as const);
    started.outcome = { ...(own ?? { kind: state.state === 'ended' ? 'made' : 'interrupted' }), background: state };
    return started;
  }

  /** Words of a command may name a folder, or a file from elsewhere; of what they name only files count that are known. */
  #ofNamed(effect: FileEffect): readonly FileEffect[] {
    const { path, did, to } = effect;
    if (did === 'changed' && path !== '.') return [effect];
    if (did === 'changed')
      return [...this.#named].filter((name) => this.#lastDid(name) === 'restored').map((name) => ({ path: name, did }));
    const root = this.#rootFor(path);
    const isFolder = to !== undefined && [...this.#named].some((name) => name !== to && isWithin(name, to));
    const stands = (name: string) => {
      const last = this.#last.get(name)?.effect;
      return last === undefined || last.path !== name || (last.did !== 'deleted' && last.did !== 'moved');
    };
    const isChanged = (name: string) => (this.#last.get(name)?.effect.did ?? 'restored') !== 'restored';
    const found = [...this.#named].flatMap((name): FileEffect[] => {
      if (!stands(name) || (did === 'restored' && !isChanged(name))) return [];
      // Git does not know a new file, and only refuses it where it is named.
      if (did === 'restored' && name !== path && this.#created.has(name)) return [];
      // The same file by its whole path, or from a folder further up.
      const above = name.endsWith(`/${path}`) ? name.slice(0, -path.length) : root;
      const rest = above !== null && isWithin(name, `${above}${path}`) ? above : '';
      if (!isWithin(name, `${rest}${path}`)) return [];
      if (to === undefined) return [{ path: name, did }];
      const below = name.slice(rest.length + path.length);
      const inside = isFolder ? path.slice(path.lastIndexOf('/')).replace(/^(?!\/)/, '/') : '';
      return [{ path: name, did, to: `${IS_WHOLE.test(to) ? '' : rest}${to}${inside}${below}` }];
    });
    return found;
  }

  #lastDid(name: string): FileEffect['did'] | undefined {
    const last = this.#last.get(name)?.effect;
    return last?.path === name ? last.did : undefined;
  }

  /**
   * For a folder that is not named by its whole path, while all known files are: what stands before it in their names, if
   * it is the same for all that have the folder, and a folder above all others.
   */
  #rootFor(path: string): string | null {
    if (IS_WHOLE.test(path) || path === '.') return null;
    const names = [...this.#named].filter((name) => IS_WHOLE.test(name));
    const inside = names.find((name) => name.includes(`/${path}/`));
    const root = inside?.slice(0, inside.indexOf(`/${path}/`) + 1);
    return root !== undefined && root !== '/' && names.every((name) => name.startsWith(root)) ? root : null;
  }

  #files(entry: FilesEntry): void {
    const { cause, toolCallId = '', files } = entry;
    this.#made.take(entry, this.#open.get(toolCallId) ?? null);
    if (cause === 'tool' || cause === 'command') {
      const kept = this.#kept.get(toolCallId) ?? new Map<string, FileImage>();
      for (const image of files) kept.set(image.path, cause === 'command' ? leftByCommand(image) : image);
      this.#kept.set(toolCallId, kept);
    }
    if (cause !== 'restore') return;
    for (const { path } of files) {
      const maker = this.#made.lastMaker(path);
      if (maker === undefined) continue;
      const effect = maker?.effects.find((each) => each.path === path || each.to === path);
      this.#last.set(path, maker && effect ? { record: maker, effect } : null);
    }
  }
}

/** A change by a command is recorded once, after it ran; a content that could not be read is another one. */
const leftByCommand = (image: FileImage): FileImage =>
  image.after === undefined && !image.saved ? { ...image, after: '' } : image;
