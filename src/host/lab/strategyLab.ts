/**
 * *Strategy Lab*: a page that replays sessions under strategies, in workers, so that the editor stays smooth. One page
 * a window. Choices, settings and results stay until the window closes.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { isAbort } from '../../core/errors.ts';
import { formatBytes, formatCount } from '../../core/figures.ts';
import { words } from '../../core/words.ts';
import { type LabReport, makeReport, renderMarkdown } from '../../lab/makeReport.ts';
import type { BrokenReplay } from '../../lab/replay.ts';
import { type RecordedSession, tokensOf } from '../../lab/session.ts';
import { hasCode } from '../../node/files/fileErrors.ts';
import { describeStep } from '../../node/lab/describeStep.ts';
import type { LabResult, Miss } from '../../node/lab/replayStored.ts';
import { labCsv, labSvg } from '../../node/lab/saveReport.ts';
import { type LabSession, readStored, sampleSession } from '../../node/lab/storedSession.ts';
import { openCleaner } from '../../node/secrets/openCleaner.ts';
import type { SessionPlaces } from '../../node/session/sessionPlaces.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import { JOURNAL } from '../../node/storage/sessions/sessionStore.ts';
import { titleInLine } from '../../node/storage/sessions/sessionSummary.ts';
import { withCancel } from '../notices/notify.ts';
import { showInputBox, showQuickPick, showSaveDialog } from '../notices/pickers.ts';
import type { PageActions, Pages, ShownPage } from '../pages/pages.ts';
import { withFileSettings, writeSettings } from '../settings.ts';
import {
  type Contender,
  type LabStrategy,
  listLabStrategies,
  type NamedContender,
  nameContenders,
  readContender,
} from './contenders.ts';
import { describeLab } from './describeLab.ts';
import { ACT, type LabFacts } from './labFacts.ts';
import { type Found, type ReplayParts, runReplay } from './runReplay.ts';

export interface LabParts extends ReplayParts {
  readonly places: SessionPlaces;
  readonly pages: Pages;
  readonly session: ShownSession;
}

const PAGE = 'strategy lab';
const STEP_PAGE = 'strategy lab step';
const WINDOW = 64_000;
/**
 * In tokens. Below the minimum a system prompt alone does not fit; above the maximum typical sessions never compact.
 */
const WINDOWS = { least: 8_000, most: 2_000_000 } as const;
/** Interval between updates of the progress. */
const DRAWN_MS = 250;

export class StrategyLab implements vscode.Disposable {
  readonly #parts: LabParts;
  readonly #useStrategy: (id: string) => Promise<void>;
  #sessions: readonly LabSession[] = [];
  #contenders: readonly Contender[];
  #made = 0;
  #window = WINDOW;
  #results: LabResult[] = [];
  #report: LabReport | null = null;
  #broken: BrokenReplay[] = [];
  #unread: string[] = [];
  #opened: LabFacts['opened'] = null;
  #run: { readonly controller: AbortController; readonly started: number; drawn: number } | null = null;
  #page: ShownPage | null = null;
  /** The person chose what is replayed. */
  #chosen = false;

  constructor(parts: LabParts, useStrategy: (id: string) => Promise<void>) {
    this.#parts = parts;
    this.#useStrategy = useStrategy;
    const own = listLabStrategies(parts).filter(({ kind }) => kind === 'builtIn');
    this.#contenders = own.map((strategy) => this.#contender(strategy));
  }

  /** At first it replays the session on screen. */
  async open(): Promise<void> {
    const inputs = { write: (id: string, value: string) => this.#set(id, value) };
    this.#page = this.#parts.pages.show(PAGE, describeLab(this.#facts(), vscode.l10n.t), this.#actions(), { inputs });
    const own = this.#chosen || this.#run ? null : await this.#sessionOnScreen();
    if (own && own.id !== this.#sessions[0]?.id) await this.#replayOnly(own);
  }

  async #replayOnly(session: LabSession): Promise<void> {
    this.#sessions = [session];
    this.#window = fittingWindow(await readStored(session));
    await this.#replay();
  }

  #replaySample(): Promise<void> {
    this.#chosen = true;
    return this.#replayOnly(sampleSession(vscode.l10n.t('Sample session')));
  }

  /** Null for none, or for one that nothing was said in yet. */
  async #sessionOnScreen(): Promise<LabSession | null> {
    const { session, places } = this.#parts;
    const id = session.conversation?.journal.session.id;
    if (id === undefined || session.title === '') return null;
    for (const store of await places.stores()) {
      const path = join(store.folderOf(id), JOURNAL);
      const size = await sizeOf(path);
      if (size !== null) return { id, path, title: session.title, size };
    }
    return null;
  }

  dispose(): void {
    this.#run?.controller.abort();
  }

  #contender(strategy: LabStrategy, typed: Contender['typed'] = {}): Contender {
    return { key: String(this.#made++), strategy, typed };
  }

  #named(): NamedContender[] {
    const names = nameContenders(this.#contenders, ({ id }) => id);
    const labels = nameContenders(this.#contenders, ({ label }) => label);
    return this.#contenders.map((contender, at) => ({
      contender,
      name: names[at] ?? contender.key,
      label: labels[at] ?? contender.key,
    }));
  }

  #facts(): LabFacts {
    return {
      sessions: this.#sessions,
      contenders: this.#named(),
      window: this.#window,
      progress: this.#progress(),
      results: this.#results,
      report: this.#report,
      broken: this.#broken,
      unread: this.#unread,
      opened: this.#opened,
    };
  }

  #progress(): LabFacts['progress'] {
    if (!this.#run) return null;
    const size = (title: string) => this.#sessions.find((session) => session.title === title)?.size ?? 0;
    const done = this.#results.reduce((sum, { score }) => sum + size(score.session), 0);
    const all = this.#sessions.reduce((sum, session) => sum + session.size, 0) * this.#contenders.length;
    const seconds = (Date.now() - this.#run.started) / 1000;
    return {
      done: this.#results.length,
      all: this.#sessions.length * this.#contenders.length,
      secondsLeft: done > 0 ? Math.round((seconds / done) * (all - done)) : null,
    };
  }

  #draw(): void {
    this.#page?.write(describeLab(this.#facts(), vscode.l10n.t), this.#actions());
  }

  #actions(): PageActions {
    const actions: Record<string, () => unknown> = { [ACT.cancel]: () => this.#run?.controller.abort() };
    if (this.#run) return actions;
    Object.assign(actions, {
      [ACT.sessions]: () => this.#chooseSessions(),
      [ACT.longer]: () => this.#chooseSessions(true),
      [ACT.sample]: () => this.#replaySample(),
      [ACT.strategies]: () => this.#chooseStrategies(),
      [ACT.window]: () => this.#chooseWindow(),
      [ACT.replay]: () => this.#replay(),
    });
    for (const contender of this.#contenders) {
      const { key, strategy, typed } = contender;
      actions[ACT.another(key)] = () => this.#change(contender, [contender, this.#contender(strategy, typed)]);
      actions[ACT.remove(key)] = () => this.#change(contender, []);
    }
    const report = this.#report;
    if (!report || report.strategies.length === 0) return actions;
    Object.assign(actions, {
      [ACT.csv]: () => this.#save('csv', labCsv(report)),
      [ACT.markdown]: () => this.#save('md', renderMarkdown(report)),
      [ACT.svg]: () => this.#save('svg', labSvg(report, vscode.l10n.t)),
    });
    for (const [at, { contender, name }] of this.#named().entries()) {
      actions[ACT.use(at)] = () => this.#use(contender);
      actions[ACT.strategy(at)] = () => this.#open({ name });
    }
    for (const [at, { title }] of this.#sessions.entries()) {
      actions[ACT.session(at)] = () => this.#open({ session: title });
    }
    for (const [at, miss] of this.#misses().entries()) actions[ACT.miss(at)] = () => this.#showStep(miss);
    return actions;
  }

  #set(id: string, value: string): void {
    for (const contender of this.#contenders) {
      const { key, strategy, typed } = contender;
      const field = strategy.fields.find(({ name }) => ACT.set(key, name) === id);
      if (field && !this.#run) this.#change(contender, [{ ...contender, typed: { ...typed, [field.name]: value } }]);
    }
  }

  #change(contender: Contender, to: readonly Contender[]): void {
    this.#contenders = this.#contenders.flatMap((each) => (each === contender ? to : [each]));
    this.#forget();
  }

  #open(asked: Partial<NonNullable<LabFacts['opened']>>): void {
    if (this.#opened) this.#opened = { ...this.#opened, ...asked };
    this.#draw();
  }

  #misses(): readonly Miss[] {
    const opened = this.#opened;
    const one = this.#results.find(({ score }) => score.session === opened?.session && score.strategy === opened.name);
    return one?.misses ?? [];
  }

  /** Beside the page, so that several steps can be inspected in sequence. */
  async #showStep(miss: Miss): Promise<void> {
    const opened = this.#opened;
    const stored = this.#sessions.find(({ title }) => title === opened?.session);
    const named = this.#named().find(({ name }) => name === opened?.name);
    if (!stored || !named) return;
    const page = describeStep(await readStored(stored), miss, named.label, vscode.l10n.t);
    this.#parts.pages.show(STEP_PAGE, page, {}, { beside: true });
  }

  /** With its settings on this page: the strategy is used as it was replayed. */
  async #use(contender: Contender): Promise<void> {
    const own: (readonly [string, unknown])[] = [];
    const ofFile: Record<string, unknown> = {};
    for (const [field, value] of readContender(contender).changed) {
      if (field.place === 'compaction') own.push([`compaction.${field.name}`, value]);
      else if (contender.strategy.kind === 'file') ofFile[field.key] = value;
      else await vscode.workspace.getConfiguration().update(field.key, value, vscode.ConfigurationTarget.Global);
    }
    await writeSettings(Object.keys(ofFile).length > 0 ? [...own, withFileSettings(ofFile)] : own);
    await this.#useStrategy(contender.strategy.id);
  }

  /** Figures of different choices are never shown together. */
  #forget(): void {
    this.#results = [];
    this.#report = null;
    this.#broken = [];
    this.#unread = [];
    this.#opened = null;
    this.#draw();
  }

  async #chooseSessions(longestFirst = false): Promise<void> {
    const listed = await withCancel(words('Reading all sessions…'), (signal) => this.#listSessions(signal));
    const known = longestFirst ? listed.toSorted((a, b) => b.size - a.size) : listed;
    if (known.length === 0)
      throw new Error(vscode.l10n.t('There is no session yet. “Import Session…” adds recorded ones.'));
    const chosen = new Set(this.#sessions.map(({ path }) => path));
    const items = known.map((session) => ({
      label: session.title,
      description: formatBytes(session.size),
      picked: chosen.has(session.path),
      session,
    }));
    const title = vscode.l10n.t('Sessions to replay');
    const picked = await showQuickPick(items, { title, canPickMany: true, matchOnDescription: true });
    if (!picked) return;
    this.#chosen = true;
    this.#sessions = picked.map(({ session }) => session);
    this.#forget();
  }

  /** Titles identify sessions in the figures, so duplicates are numbered. */
  async #listSessions(signal: AbortSignal): Promise<LabSession[]> {
    const found: LabSession[] = [];
    const seen = new Map<string, number>();
    for (const store of await this.#parts.places.stores()) {
      for (const summary of await store.list(signal)) {
        if (summary.problem) continue;
        const { id } = summary;
        const path = join(store.folderOf(id), JOURNAL);
        const name = titleInLine(summary) || id;
        const count = (seen.get(name) ?? 0) + 1;
        seen.set(name, count);
        found.push({ id, path, title: count > 1 ? `${name} (${count})` : name, size: (await stat(path)).size });
      }
    }
    return found;
  }

  async #chooseStrategies(): Promise<void> {
    const chosen = new Set(this.#contenders.map(({ strategy }) => strategy.id));
    const about = (strategy: LabStrategy): string => {
      switch (strategy.kind) {
        case 'yardstick':
          return vscode.l10n.t('a yardstick, not offered for use');
        case 'contributed':
          return vscode.l10n.t('from another extension');
        case 'file':
          return vscode.l10n.t('a file of yours');
        case 'builtIn':
          return '';
      }
    };
    const items = listLabStrategies(this.#parts).map((strategy) => ({
      label: strategy.label,
      description: about(strategy),
      picked: chosen.has(strategy.id),
      strategy,
    }));
    const title = vscode.l10n.t('Strategies to compare');
    const picked = await showQuickPick(items, { title, canPickMany: true });
    if (!picked) return;
    const { registry } = this.#parts;
    const { signal } = new AbortController();
    // A file that was not loaded yet is asked about, because only then its settings are known.
    for (const { strategy } of picked) {
      if (strategy.kind !== 'file') continue;
      const resolved = await registry.resolve(strategy.id, true, signal);
      if (resolved.kind === 'declined') return;
    }
    this.#chosen = true;
    const known = new Map(listLabStrategies(this.#parts).map((strategy) => [strategy.id, strategy]));
    // Strategies that stay keep their settings.
    this.#contenders = picked.flatMap(({ strategy: { id }, strategy }) => {
      const now = known.get(id) ?? strategy;
      const before = this.#contenders.filter((each) => each.strategy.id === id);
      return before.length ? before.map((each) => ({ ...each, strategy: now })) : [this.#contender(now)];
    });
    this.#forget();
  }

  async #chooseWindow(): Promise<void> {
    const { least, most } = WINDOWS;
    const asked = await showInputBox({
      title: vscode.l10n.t('Window to replay with, in tokens'),
      value: String(this.#window),
      validateInput: (value) =>
        /^\d+$/.test(value.trim()) && Number(value) >= least && Number(value) <= most
          ? null
          : vscode.l10n.t('A number from {0} to {1}', formatCount(least), formatCount(most)),
    });
    if (asked === undefined) return;
    this.#chosen = true;
    this.#window = Number(asked);
    this.#forget();
  }

  async #replay(): Promise<void> {
    if (this.#run) return;
    const controller = new AbortController();
    this.#run = { controller, started: Date.now(), drawn: 0 };
    this.#forget();
    const contenders = this.#named();
    try {
      await runReplay(this.#parts, {
        sessions: this.#sessions,
        contenders,
        window: this.#window,
        signal: controller.signal,
        onFound: (found) => this.#take(found),
      });
    } catch (thrown) {
      if (!isAbort(thrown)) throw thrown;
    } finally {
      controller.abort();
      this.#run = null;
      const names = contenders.map(({ name }) => name);
      const first = this.#sessions.find(({ title }) => this.#results.some(({ score }) => score.session === title));
      const name = names.find((each) => this.#results.some(({ score }) => score.strategy === each));
      if (first && name !== undefined) this.#opened = { session: first.title, name };
      if (this.#results.length + this.#broken.length > 0) {
        const setting = { window: this.#window, beforeFirstCompaction: false, strategies: names };
        const scores = this.#results.map(({ score }) => score);
        this.#report = makeReport(setting, scores, this.#broken);
      }
      this.#draw();
    }
  }

  #take(found: Found): void {
    if (found.type === 'result') this.#results.push(found.result);
    else if (found.type === 'broken') this.#broken.push(found.broken);
    else this.#unread.push(vscode.l10n.t('{0}: {1}', found.what, found.reason));
    if (!this.#run || Date.now() - this.#run.drawn < DRAWN_MS) return;
    this.#run.drawn = Date.now();
    this.#draw();
  }

  async #save(ending: string, content: string): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const name = `strategy-lab.${ending}`;
    const uri = await showSaveDialog(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : { saveLabel: name });
    if (!uri) return;
    // It names sessions by the first words of a person.
    const { clean } = await openCleaner();
    await vscode.workspace.fs.writeFile(uri, Buffer.from(clean(content)));
  }
}

/** A window half as large as the session, in which strategies have something to do; typical where that is smaller. */
export function fittingWindow({ messages }: Pick<RecordedSession, 'messages'>): number {
  const all = messages.reduce((sum, message) => sum + tokensOf(message), 0);
  return Math.min(Math.max(Math.round(all / 2_000) * 1_000, WINDOWS.least), WINDOW);
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return null;
    throw thrown;
  }
}
