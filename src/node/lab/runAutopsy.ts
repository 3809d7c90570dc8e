/** The autopsy of one session with the product's strategies beside it. Writes nothing and asks no model. */

import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import { type Autopsy, performAutopsy } from '../../lab/autopsy.ts';
import { coreMessages, LabClock, openLabAgent, toCore, toRecorded } from '../../lab/live/coreMessages.ts';
import { LabModel } from '../../lab/live/labModel.ts';
import type { LiveOptions } from '../../lab/live/liveContender.ts';
import { type PreparedSession, prepareSession, systemLength } from '../../lab/prepareSession.ts';
import { messageTokens, type Part, tokensOfPart } from '../../lab/request.ts';
import type { RecordedSession } from '../../lab/session.ts';
import { systemTimers } from '../../providers/timers.ts';
import { nodeCrypto } from '../storage/disk/fileBlobStore.ts';
import { countedCrypto } from './replayStored.ts';

export function runAutopsy(
  session: RecordedSession,
  strategies: readonly string[],
  registry: StrategyRegistry,
  signal: AbortSignal,
): Promise<Autopsy> {
  const prepared = prepareSession(session);
  const options = { registry, crypto: countedCrypto(nodeCrypto), timers: systemTimers, settings: {}, signal };
  const rivals = strategies.map((strategy) => ({
    strategy,
    compactTo: (before: readonly Part[], room: number) => compactTo(strategy, prepared, before, room, options),
  }));
  return performAutopsy(prepared, rivals, signal);
}

type CompactToOptions = Omit<LiveOptions, 'window' | 'summaries'> & { readonly signal: AbortSignal };

/** Tries until what stays fills the room: a strategy has no setting for its result's size. */
const MOST_TRIES = 6;
/** A result that fills this share of the room is near enough. */
const NEAR = 0.9;
const AIM = 0.95;
const LEAST_WINDOW = 500;
/** Share of the room for the newest part, at most as many tokens as `layered` keeps by default. */
const RECENT_SHARE = 0.2;
const RECENT_MOST = 2_500;

/**
 * One compaction of a given context by a strategy of the product, with as much room as another one left: the product's
 * own compactor runs it, and the window is what decides how much a strategy keeps. Resolves with the largest result that
 * fits the room, else the smallest; null when the strategy makes none. `room` in tokens of the lab.
 */
async function compactTo(
  strategy: string,
  prepared: PreparedSession,
  before: readonly Part[],
  room: number,
  options: CompactToOptions,
): Promise<readonly Part[] | null> {
  const whole = messageTokens(prepared, before);
  let best: { readonly parts: readonly Part[]; readonly size: number } | null = null;
  let window = Math.max(LEAST_WINDOW, 2 * room);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const parts = await compactOnce(strategy, prepared, before, { ...options, window, room });
    if (!parts) return best?.parts ?? null;
    const size = messageTokens(prepared, parts);
    if (!best || isBetter(size, best.size, room)) best = { parts, size };
    if (size <= room && size >= NEAR * room) break;
    const next = Math.round(Math.min(2 * whole, Math.max(LEAST_WINDOW, (window * AIM * room) / Math.max(1, size))));
    if (next === window) break;
    window = next;
  }
  return best?.parts ?? null;
}

function isBetter(size: number, than: number, room: number): boolean {
  if (size <= room) return than > room || size > than;
  return than > room && size < than;
}

interface Once extends CompactToOptions {
  readonly window: number;
  readonly room: number;
}

async function compactOnce(
  strategy: string,
  prepared: PreparedSession,
  before: readonly Part[],
  { window, room, signal, ...options }: Once,
): Promise<readonly Part[] | null> {
  const clock = new LabClock(prepared.times.saidAt(0));
  const { choice } = new LabModel(prepared.session, { kind: 'none' }, window, clock);
  const recent = Math.round(Math.min(RECENT_MOST, RECENT_SHARE * room));
  const settings = { 'keep.recent': `${recent} tokens`, 'layered.summary': false, ...options.settings };
  const agent = await openLabAgent(choice, strategy, clock, { ...options, settings, window });
  const { journal, compactor } = agent;
  try {
    const core = coreMessages(prepared);
    const system = systemLength(prepared);
    const places = new Map<string, Part>();
    const names = new Map<string, string>();
    for (const part of before) {
      if (typeof part === 'number' && part < system) continue;
      const { message, tokens } =
        typeof part === 'number'
          ? core.at(part)
          : { message: toCore(part.message, names), tokens: tokensOfPart(prepared.tokens, part) };
      const { seq } = await journal.append({ type: 'message', message, tokens });
      places.set(`m${seq}`, part);
    }
    const messages = new Map(journal.context.conversation.map(({ id, message }) => [id, message]));
    const outcome = await compactor.compact({ trigger: 'manual' }, signal);
    if (outcome.kind !== 'compacted') return null;
    const kept = journal.context.conversation.map((item): Part => {
      const place = places.get(item.id);
      if (place !== undefined && messages.get(item.id)?.text === item.message.text && !item.hidden) return place;
      const index = typeof place === 'number' ? place : null;
      return { index, message: toRecorded(item), leadsTo: [] };
    });
    return [...before.filter((part) => typeof part === 'number' && part < system), ...kept];
  } finally {
    agent.dispose();
  }
}
