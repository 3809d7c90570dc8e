/** The summarisers of a session, on the models that the person has. Their requests and usage are journaled. */

import type { Clock, Timers } from '../../clock.ts';
import { LOWERING_VERSION } from '../../context/lower.ts';
import type { CacheClock } from '../../cost/cacheFacts.ts';
import { isWarm } from '../../cost/coldCache.ts';
import type { Crypto } from '../../crypto.ts';
import { ModelError } from '../../errors.ts';
import type { BlobStore } from '../../journal/blobStore.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Log } from '../../log.ts';
import type { ModelChoice, ModelProblem } from '../../model/modelChoice.ts';
import type { ModelRequest } from '../../model/modelClient.ts';
import type { Calibration } from '../../tokens/calibrate.ts';
import type { LearnedWindows } from '../../tokens/learnedWindows.ts';
import { windowOf } from '../../tokens/learnedWindows.ts';
import type { MeterReading } from '../../tokens/meter.ts';
import { type Words, words } from '../../words.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import { LastRequest } from './continueRequest.ts';
import { dryClient } from './dryClient.ts';
import type { OpenRequest } from './openRequest.ts';
import { Summariser, type SummariserOptions } from './summariser.ts';
import { SummaryRooms } from './summaryRoom.ts';

interface Ports {
  /** The model of the session's turns; null without one. */
  readonly model: () => ModelChoice | null;
  /** The model for summaries; null means the session's model. */
  readonly summaryModel: () => ModelChoice | null;
  /** A model that the person has, by its name, or why it cannot be asked. Default: none. */
  readonly namedModel?: (name: string) => ModelChoice | ModelProblem;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly crypto: Crypto;
  readonly log: Log;
  readonly blobs: BlobStore;
  readonly windows: LearnedWindows;
}

/** Figures of the session's model and its context. */
interface Measures {
  readonly calibration: Calibration;
  readonly reading: MeterReading;
  readonly clock: CacheClock;
}

/** The facts of a run that may ask for summaries. */
interface Asking {
  readonly settings: Pick<CompactionSettings, 'summary'>;
  /** Set where no model is asked, for this reason: strategies continue with their deterministic part. */
  readonly cooling?: Words | null;
  /** The session's own requests do not fit, so no summary continues the last one. */
  readonly refused?: boolean;
  /** It runs while the agent continues, on the present conversation. */
  readonly ahead?: OpenRequest | undefined;
  /** No model is asked: a text of a summary's usual length stands for each answer. */
  readonly dry?: boolean | undefined;
}

export class Summarisers {
  readonly #ports: Ports;
  readonly #gauge: Measures;
  readonly #rooms = new SummaryRooms();

  constructor(ports: Ports, gauge: Measures) {
    this.#ports = ports;
    this.#gauge = gauge;
  }

  /** The model that writes summaries; null when none can be reached. */
  get choice(): ModelChoice | null {
    return this.#ports.summaryModel() ?? this.#ports.model();
  }

  /** Opens the summariser of one run. */
  open(
    { settings: { summary }, cooling, refused = false, ahead, dry = false }: Asking,
    signal: AbortSignal,
  ): Summariser {
    const { journal, log, timers, clock, windows, model, namedModel } = this.#ports;
    const { outputTokenMax, retries } = summary;
    const chosen = this.choice;
    if (cooling) return new Summariser(null, { outputTokenMax, timers }, cooling);
    if (!chosen) return new Summariser(null, { outputTokenMax, timers });
    const open = (of: ModelChoice, more: Partial<SummariserOptions>): Summariser => {
      // The provider's correction applies to summaries too.
      const known = { ...of, window: windowOf(of, windows) };
      const factor = this.#gauge.calibration.factor(of.model);
      const bounds = { outputTokenMax, retries, factor, signal, timers, clock };
      if (dry) {
        const held = isWarm(this.#gauge.clock, clock.now()) ? this.#gauge.clock.held : 0;
        const client = dryClient(of.client, { timers, factor, held });
        const left = { ...this.#rooms.of(of) };
        return new Summariser({ ...known, client }, { ...bounds, left, onUsage: async () => true, ...more });
      }
      return new Summariser(known, {
        ...bounds,
        log,
        left: this.#rooms.of(of),
        onRequest: async (request) => {
          await this.#record(request, ahead !== undefined);
          ahead?.sent(request.model);
        },
        onUsage: async ({ estimated, ...charge }) => {
          if (ahead && !ahead.answered()) return false;
          const facts = { ...charge, ...(estimated ? { estimated } : {}), ...(ahead ? { ahead: true as const } : {}) };
          if (!journal.readOnly) await journal.append({ type: 'summaryUsage', model: of.model, ...facts });
          return true;
        },
        ...(ahead ? { onUnanswered: (unanswered) => ahead.unanswered(unanswered) } : {}),
        onWindow: (window) => windows.learn(of, window),
        ...more,
      });
    };
    const choice = { ...chosen, window: windowOf(chosen, windows) };
    const own = model();
    const isOwn = choice.model === own?.model && choice.client.endpoint === own?.client.endpoint;
    const continues = own && isOwn && !refused && summary.continueRequest;
    const isAhead = ahead !== undefined;
    return open(chosen, {
      last: continues ? new LastRequest(this.#ports, { ...own, window: choice.window }, this.#gauge, isAhead) : null,
      other: (name) => {
        const found = namedModel?.(name);
        if (!found) throw new ModelError('notFound', words('The model {0} cannot be asked here.', name.slice(0, 100)));
        if ('problem' in found) throw new ModelError('notFound', found.problem);
        return open(found, {});
      },
    });
  }

  /** Journaled before it is sent. No context lowers to its messages, so they are stored as a body next to the journal. */
  async #record(request: ModelRequest, ahead: boolean): Promise<void> {
    const { journal, crypto, blobs } = this.#ports;
    if (journal.readOnly) return;
    const { model, maxOutputTokens } = request;
    const body = new TextEncoder().encode(JSON.stringify(request));
    await blobs.put(body);
    await journal.append({
      type: 'request',
      purpose: 'summary',
      model,
      ...(maxOutputTokens ? { maxOutputTokens } : {}),
      bodySha256: await crypto.sha256(body),
      loweringVersion: LOWERING_VERSION,
      messages: request.messages.length,
      ...(ahead ? { ahead } : {}),
    });
  }
}
