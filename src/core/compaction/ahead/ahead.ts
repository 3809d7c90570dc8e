/**
 * The summary that is prepared while the agent goes on: one at most, in memory only. It is let go of, and its request
 * stopped, as soon as what it tells of is no longer the beginning of the context; then it is told what it used.
 */

import { messageOf } from '../../errors.ts';
import type { TreeEntry } from '../../journal/entry.ts';
import { isShapeEntry } from '../../journal/entryTypes.ts';
import type { Journal } from '../../journal/journal.ts';
import { noteOf } from '../../journal/noteOf.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { CompactorPorts } from '../compactorPorts.ts';
import type { Draft } from '../draft/draft.ts';
import type { PreparedRun } from '../prepareRun.ts';
import type { AttemptOutcome } from '../run/strategyRun.ts';

export const WHY = {
  stopped: words('it was stopped'),
  needed: words('the model on this machine was needed for your message'),
  settings: words('the model, the strategy or a setting changed'),
  changed: words('the conversation was changed'),
  compacted: words('the context was compacted without it'),
  notEnough: words('it would not have made enough room'),
};

/** What a run of a strategy came to, and with what. */
interface Begun {
  readonly run: PreparedRun;
  readonly attempt: Promise<AttemptOutcome>;
}

interface Job {
  /** What it was made with: another strategy, model or setting would make another summary. */
  readonly key: string;
  readonly run: PreparedRun;
  readonly request: OpenRequest;
  readonly controller: AbortController;
  /** Resolves when nothing is under way. */
  over: Promise<void>;
  running: boolean;
  draft: Draft | null;
  durationMs: number;
}

export interface ReadySummary {
  readonly draft: Draft;
  /** It was made ready by this run; its costs are those of its summariser. */
  readonly run: PreparedRun;
  readonly durationMs: number;
}

export class Ahead {
  readonly #ports: CompactorPorts;
  readonly #unlisten: () => void;
  #unfollow: () => void = () => undefined;
  #job: Job | null = null;
  /** A compaction of the context is being made of it. */
  #used = false;
  /** Below this reading nothing is begun: the last one came to nothing. */
  #heldBelow = 0;

  constructor(ports: CompactorPorts) {
    this.#ports = ports;
    this.#unlisten = ports.journal.listen((entry) => {
      const base = this.#job?.run.base;
      if (base === undefined) return;
      if (entry.type === 'revert') {
        if (!ports.journal.isOnPath(base)) this.letGo(WHY.changed);
      } else if ('parent' in entry && isShapeEntry(entry)) this.#reshaped(entry);
    });
  }

  dispose(): void {
    this.#unlisten();
    this.#unfollow();
    const job = this.#end();
    // While the journal can still be written.
    job?.request.unanswered(true).catch((thrown) => this.#ports.log('warn', messageOf(thrown)));
    job?.controller.abort();
  }

  /** A stop of the turn stops this, too. */
  follow(signal: AbortSignal): void {
    this.#unfollow();
    const stop = () => this.letGo(WHY.stopped);
    signal.addEventListener('abort', stop, { once: true });
    this.#unfollow = () => signal.removeEventListener('abort', stop);
  }

  /** The strategy that it is prepared with; null while none is. */
  get strategy(): string | null {
    return this.#job?.run.order.strategy ?? null;
  }

  get state(): 'running' | 'ready' | null {
    if (!this.#job) return null;
    return this.#job.running ? 'running' : 'ready';
  }

  isUnderWay(key: string): boolean {
    return this.#job?.key === key;
  }

  isRunning(key: string): boolean {
    return this.#job?.key === key && this.#job.running;
  }

  /** What was made with other settings is let go of. */
  keepOnly(key: string | null): void {
    if (this.#job && this.#job.key !== key) this.letGo(WHY.settings);
  }

  mayBegin(tokens: number): boolean {
    return this.#job === null && tokens >= this.#heldBelow && this.#ports.journal.readOnly === null;
  }

  /** `holdBelow`: the reading below which no other is begun should this one come to nothing. */
  begin(
    key: string,
    tokens: number,
    holdBelow: number,
    make: (request: OpenRequest, signal: AbortSignal) => Begun | null,
  ): boolean {
    const { journal, clock, log } = this.#ports;
    const controller = new AbortController();
    const request = new OpenRequest(journal, tokens);
    const made = make(request, controller.signal);
    if (!made) return false;
    const begun = clock.now();
    const { run, attempt } = made;
    const job: Job = {
      key,
      run,
      request,
      controller,
      over: Promise.resolve(),
      running: true,
      draft: null,
      durationMs: 0,
    };
    job.over = attempt
      .catch((thrown): AttemptOutcome => {
        log('error', `preparing a summary failed: ${messageOf(thrown)}`);
        return { kind: 'unchanged' };
      })
      .then((outcome) => {
        job.running = false;
        job.durationMs = clock.now() - begun;
        job.draft = useful(outcome, run);
        if (this.#job !== job) return;
        if (job.draft) return log('info', `a summary was prepared in ${job.durationMs} ms`);
        if (outcome.kind === 'failed') log('warn', `no summary was prepared: ${inEnglish(outcome.reason)}`);
        this.#heldBelow = holdBelow;
        this.#job = null;
      });
    this.#job = job;
    return true;
  }

  /** What was prepared with these settings, once it is ready; null where there is none. A stop ends the wait. */
  async take(key: string, signal: AbortSignal): Promise<ReadySummary | null> {
    const job = this.#job;
    if (job?.key !== key) return null;
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    await Promise.race([job.over, promise]);
    if (signal.aborted || this.#job !== job || !job.draft) return null;
    const { journal } = this.#ports;
    if (journal.context.reshapedAfter(job.run.base) || !journal.isOnPath(job.run.base)) return null;
    return { draft: job.draft, run: job.run, durationMs: job.durationMs };
  }

  /** Its draft is what a compaction is about to be made of. */
  use(): void {
    this.#used = true;
  }

  /** Stops what is under way, and says what it used. */
  letGo(why: Words): void {
    const job = this.#end();
    if (!job) return;
    const { journal, log } = this.#ports;
    const { usage } = job.run.llm;
    const used = (usage ? usage.input + usage.output : 0) + job.request.tokens;
    job.controller.abort();
    if (used === 0) return;
    const said = words('A summary that was prepared was thrown away: {0}. It used about {1} tokens.', why, used);
    // Others hear first of the entry that was the reason.
    job.over
      .then(async () => {
        if (!journal.readOnly) await journal.append(noteOf('info', said));
      })
      .catch((thrown) => log('warn', messageOf(thrown)));
  }

  #reshaped(entry: TreeEntry): void {
    if (entry.type === 'compaction') {
      if (this.#used) this.#end();
      else this.letGo(WHY.compacted);
    } else this.letGo(entry.type === 'configured' ? WHY.settings : WHY.changed);
  }

  #end(): Job | null {
    const job = this.#job;
    this.#job = null;
    this.#used = false;
    return job;
  }
}

/** Null for what asked no model, or what a model did not do well: when the trigger fires it is tried as ever. */
function useful(outcome: AttemptOutcome, { llm }: PreparedRun): Draft | null {
  if (outcome.kind !== 'draft' || outcome.failure) return null;
  return llm.usage && !llm.failure && llm.leftOut === 0 ? outcome.draft : null;
}

/**
 * The request for a summary that is prepared while the agent goes on: it is counted once, whatever becomes of it. One that
 * was stopped on its way is paid for all the same, by nobody knows how much, and is journaled as an estimate.
 */
export class OpenRequest {
  readonly #journal: Journal;
  /** Tokens of the context, which is about what such a request reads. */
  readonly #tokens: number;
  #model: string | null = null;

  constructor(journal: Journal, tokens: number) {
    this.#journal = journal;
    this.#tokens = tokens;
  }

  /** About what a request that is on its way reads; 0 while none is. */
  get tokens(): number {
    return this.#model === null ? 0 : this.#tokens;
  }

  sent(model: string): void {
    this.#model = model;
  }

  /** False for one that was counted already. */
  answered(): boolean {
    const isOpen = this.#model !== null;
    this.#model = null;
    return isOpen;
  }

  /** A refusal costs nothing. */
  async unanswered(stopped: boolean): Promise<void> {
    const model = this.#model;
    this.#model = null;
    if (model === null || !stopped || this.#journal.readOnly) return;
    const usage = { input: this.#tokens, cached: 0, output: 0, reasoning: 0 };
    await this.#journal.append({ type: 'summaryUsage', model, usage, estimated: true, ahead: true });
  }
}
