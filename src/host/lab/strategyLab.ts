/**
 * *Strategy Lab*: a page on which sessions are replayed under strategies, in workers, so that the editor stays smooth. One
 * page a window. What was chosen and found stays until the window closes.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import { readCompactionSettings } from '../../core/compaction/settings.ts';
import { isAbort } from '../../core/errors.ts';
import { words } from '../../core/words.ts';
import { PLAIN_STRATEGIES } from '../../lab/baselines/baselines.ts';
import { type LabReport, renderMarkdown } from '../../lab/makeReport.ts';
import type { Pages, ShownPage } from '../pages/pages.ts';
import type { SessionPlaces } from '../session/sessionPlaces.ts';
import { readSetting } from '../settings/settings.ts';
import { JOURNAL } from '../storage/sessions/sessionStore.ts';
import { titleInLine } from '../storage/sessions/sessionSummary.ts';
import type { StrategyFiles } from '../strategyFiles/strategyFiles.ts';
import { listStrategies } from '../tell/listStrategies.ts';
import { withCancel } from '../tell/withCancel.ts';
import { ACT, describeLab, type LabFacts, type LabStrategy, labCsv, labSvg, reportOf } from './describeLab.ts';
import type { FromWorker, LabResult, LabSession, LabSetting } from './labWorker.ts';
import { runPool } from './runPool.ts';

export interface LabParts {
  readonly extensionUri: vscode.Uri;
  readonly places: SessionPlaces;
  readonly registry: StrategyRegistry;
  readonly strategyFiles: StrategyFiles;
  readonly pages: Pages;
  readonly useStrategy: (id: string) => Promise<void>;
}

const PAGE = 'strategy lab';
const WINDOW = 64_000;
/** Tokens. Below that a system prompt alone does not fit; above it nothing is compacted in sessions that people have. */
const WINDOWS = { least: 8_000, most: 2_000_000 } as const;
/** The editor keeps a core for itself. */
const WORKERS = 2;
/** Between two drawings of the progress. */
const DRAWN_MS = 250;

export class StrategyLab implements vscode.Disposable {
  readonly #parts: LabParts;
  #sessions: readonly LabSession[] = [];
  #strategies: readonly LabStrategy[];
  #window = WINDOW;
  #results: LabResult[] = [];
  #report: LabReport | null = null;
  #unread: string[] = [];
  #looked: LabFacts['looked'] = null;
  #run: { readonly controller: AbortController; readonly started: number; drawn: number } | null = null;
  #page: ShownPage | null = null;

  constructor(parts: LabParts) {
    this.#parts = parts;
    this.#strategies = this.#known().filter(({ usable }) => usable);
  }

  open(): void {
    this.#page = this.#parts.pages.show(PAGE, this.#describe(), this.#actions());
  }

  dispose(): void {
    this.#run?.controller.abort();
  }

  /** Those of other extensions run in those, so they cannot be replayed in a worker. */
  #known(): LabStrategy[] {
    const own = listStrategies(this.#parts.registry).filter(
      ({ publisher, file }) => publisher === null || file !== undefined,
    );
    return [
      ...own.map(({ id, label }) => ({ id, label, usable: true })),
      ...PLAIN_STRATEGIES.map((id) => ({ id, label: id, usable: false })),
    ];
  }

  #describe() {
    const facts: LabFacts = {
      sessions: this.#sessions,
      strategies: this.#strategies,
      window: this.#window,
      progress: this.#progress(),
      results: this.#results,
      report: this.#report,
      unread: this.#unread,
      looked: this.#looked,
    };
    return describeLab(facts, vscode.l10n.t);
  }

  #progress(): LabFacts['progress'] {
    if (!this.#run) return null;
    const size = (title: string) => this.#sessions.find((session) => session.title === title)?.size ?? 0;
    const done = this.#results.reduce((sum, { score }) => sum + size(score.session), 0);
    const all = this.#sessions.reduce((sum, session) => sum + session.size, 0) * this.#strategies.length;
    const seconds = (Date.now() - this.#run.started) / 1000;
    return {
      done: this.#results.length,
      all: this.#sessions.length * this.#strategies.length,
      secondsLeft: done > 0 ? Math.round((seconds / done) * (all - done)) : null,
    };
  }

  #draw(): void {
    this.#page?.write(this.#describe(), this.#actions());
  }

  #actions(): Record<string, () => unknown> {
    const actions: Record<string, () => unknown> = {
      [ACT.sessions]: () => this.#chooseSessions(),
      [ACT.strategies]: () => this.#chooseStrategies(),
      [ACT.window]: () => this.#chooseWindow(),
      [ACT.replay]: () => this.#replay(),
      [ACT.cancel]: () => this.#run?.controller.abort(),
    };
    const report = this.#report;
    if (report) {
      actions[ACT.csv] = () => this.#save('csv', labCsv(report));
      actions[ACT.markdown] = () => this.#save('md', renderMarkdown(report));
      actions[ACT.svg] = () => this.#save('svg', labSvg(report, vscode.l10n.t));
    }
    for (const { id } of this.#strategies) {
      actions[ACT.use(id)] = () => this.#parts.useStrategy(id);
      actions[ACT.strategy(id)] = () => this.#look({ strategy: id });
    }
    for (const { score } of this.#results) {
      actions[ACT.session(score.session)] = () => this.#look({ session: score.session });
      actions[ACT.look(score.session, score.strategy)] = () =>
        this.#look({ session: score.session, strategy: score.strategy });
    }
    return actions;
  }

  #look(asked: { readonly session?: string; readonly strategy?: string }): void {
    if (this.#looked) this.#looked = { ...this.#looked, ...asked };
    this.#draw();
  }

  /** Figures of one choice never stand beside those of another. */
  #forget(): void {
    this.#results = [];
    this.#report = null;
    this.#unread = [];
    this.#looked = null;
    this.#draw();
  }

  async #chooseSessions(): Promise<void> {
    const known = await withCancel(words('Reading all sessions…'), (signal) => this.#listSessions(signal));
    if (known.length === 0)
      throw new Error(vscode.l10n.t('There is no session yet. “Import Session…” adds recorded ones.'));
    const chosen = new Set(this.#sessions.map(({ path }) => path));
    const items = known.map((session) => ({
      label: session.title,
      description: vscode.l10n.t('{0} KB', Math.ceil(session.size / 1024)),
      picked: chosen.has(session.path),
      session,
    }));
    const title = vscode.l10n.t('Sessions to replay');
    const picked = await vscode.window.showQuickPick(items, { title, canPickMany: true, matchOnDescription: true });
    if (!picked) return;
    this.#sessions = picked.map(({ session }) => session);
    this.#forget();
  }

  /** Titles tell sessions apart in the figures, so a second one of the same name is numbered. */
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
    const chosen = new Set(this.#strategies.map(({ id }) => id));
    const items = this.#known().map((strategy) => ({
      label: strategy.label,
      description: strategy.usable ? '' : vscode.l10n.t('a yardstick, not offered for use'),
      picked: chosen.has(strategy.id),
      strategy,
    }));
    const title = vscode.l10n.t('Strategies to compare');
    const picked = await vscode.window.showQuickPick(items, { title, canPickMany: true });
    if (!picked) return;
    this.#strategies = picked.map(({ strategy }) => strategy);
    this.#forget();
  }

  async #chooseWindow(): Promise<void> {
    const { least, most } = WINDOWS;
    const asked = await vscode.window.showInputBox({
      title: vscode.l10n.t('Window to replay with, in tokens'),
      value: String(this.#window),
      validateInput: (value) =>
        /^\d+$/.test(value.trim()) && Number(value) >= least && Number(value) <= most
          ? null
          : vscode.l10n.t('A number from {0} to {1}', least, most),
    });
    if (asked === undefined) return;
    this.#window = Number(asked);
    this.#forget();
  }

  async #replay(): Promise<void> {
    if (this.#run) return;
    const controller = new AbortController();
    this.#run = { controller, started: Date.now(), drawn: 0 };
    this.#forget();
    try {
      const script = pathToFileURL(vscode.Uri.joinPath(this.#parts.extensionUri, 'dist', 'labWorker.js').fsPath);
      await runPool<LabSession, FromWorker>(script, await this.#setting(controller.signal), this.#sessions, {
        signal: controller.signal,
        most: WORKERS,
        onMessage: (message) => this.#take(message),
      });
    } catch (thrown) {
      if (!isAbort(thrown)) throw thrown;
    } finally {
      this.#run = null;
      const first = this.#results[0]?.score;
      if (first) {
        this.#looked = { session: first.session, strategy: first.strategy };
        this.#report = reportOf({ window: this.#window, strategies: this.#strategies, results: this.#results });
      }
      this.#draw();
    }
  }

  #take(message: Exclude<FromWorker, { type: 'done' }>): void {
    if (message.type === 'result') this.#results.push(message.result);
    else this.#unread.push(vscode.l10n.t('{0}: {1}', message.session, message.reason));
    if (!this.#run || Date.now() - this.#run.drawn < DRAWN_MS) return;
    this.#run.drawn = Date.now();
    this.#draw();
  }

  async #setting(signal: AbortSignal): Promise<LabSetting> {
    const strategies = this.#strategies.map(({ id }) => id);
    const settings: Record<string, unknown> = {};
    for (const { id, usable } of this.#strategies) {
      if (!usable) continue;
      const read: typeof readSetting = (key) => {
        const found = readSetting(key);
        if (found.explicit) settings[key.replace(/^compaction\./, '')] = found.value;
        return found;
      };
      readCompactionSettings(read, () => ({}), id);
    }
    // A replay asks no model.
    delete settings['summary.model'];
    const own = listStrategies(this.#parts.registry).filter(
      ({ id, file }) => file !== undefined && strategies.includes(id),
    );
    const files = await Promise.all(
      own.map(async ({ id }) => ({ id, file: await this.#parts.strategyFiles.allowedFile(id, signal) })),
    );
    return { strategies, window: this.#window, settings, files };
  }

  async #save(ending: string, content: string): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const name = `strategy-lab.${ending}`;
    const uri = await vscode.window.showSaveDialog(
      folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : { saveLabel: name },
    );
    if (uri) await vscode.workspace.fs.writeFile(uri, Buffer.from(content));
  }
}
