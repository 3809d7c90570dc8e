/**
 * Chooses how much a compaction takes: of the plans, in order of what they take, the first that pays before the next
 * compaction is due.
 */

import type { CompactionContext, ContextMessage } from '../../../../api/index.ts';
import { type PriceShares, priceOfCompacting, USUAL_SHARES } from '../../../cost/priceShares.ts';
import { sumTokens } from '../../../tokens/meter.ts';
import { isLedger } from '../../draft/ledgerLines.ts';
import { isPerson, isSummary } from '../../draft/messageKinds.ts';
import { WRITTEN_TOKENS } from '../../draft/summaryLength.ts';
import { isWritten } from './course.ts';
import { readNotes } from './notes.ts';

export interface Rooms {
  /** Tokens of the window, or of a typical one. */
  readonly window: number;
  readonly protectedTools: readonly string[];
  /** Tokens of all kept lines and messages together, at most. */
  readonly notes: number;
  /** Tokens of a person's messages that stay verbatim. */
  readonly users: number;
}

export interface Plan {
  /** Index after the notes that stay unchanged; 0 when all are selected again. */
  readonly frozen: number;
  /** Indices of messages that stay whatever their worth. */
  readonly stays: ReadonlySet<number>;
  /** Tokens of the others. */
  readonly leaving: number;
  /** Tokens of new notes, at most. */
  readonly room: number;
  /** Tokens of leaving messages that no notes stand for yet. */
  readonly fresh: number;
  /** Tokens behind the unchanged notes, which the provider reads again. */
  readonly rewritten: number;
  /** Lines of the unchanged notes that are no longer so. */
  readonly outdated: readonly string[];
}

/** Notes that may continue the first ones before all are selected again. */
const MOST_CONTINUED = 2;

/** Room for notes that continue others, as a share of the whole room. The first ones leave it free. */
export const CONTINUED_SHARE = 3 / 16;
const FIRST_SHARE = 1 - MOST_CONTINUED * CONTINUED_SHARE;

/** Notes may restore earlier content, and must be smaller than what leaves now. */
const MOST_OF_LEAVING = 0.7;

/** Maximum share of the window for a request, so that it is not compacted again at once. */
const FULL = 0.7;

/** Minimum share of their room that notes get in any case. */
const LEAST_BESIDE = 0.1;

/** Minimum share of their room for the notes of a session in which an edit has gone back to old lines. */
const LEAST_OF_RETURNING = 0.5;

/** And of any other, in tokens: its paths, what failed and what was edited last. */
const LEAST_WANTED = 10_000;

/** From this share of what is usual on, edits go back so seldom that notes are worth no more than they save. */
const SELDOM = 0.5;

/** The circumstances of the choice. */
interface Prospect {
  /** A model will write a summary. */
  readonly asks: boolean;
  /** How often its edits go back to old lines, relative to what is usual: 1. */
  readonly returns: number;
  /** An edit has gone back to old lines. */
  readonly hasReturned: boolean;
  /** Lines that are no longer so in the notes up to this index; null where these are too many for the notes to stay. */
  readonly outdatedBefore: (end: number) => readonly string[] | null;
}

/** Null where a person asked, and nothing would go that notes do not stand for already. */
export function choosePlan(context: CompactionContext, rooms: Rooms, recent: number, prospect: Prospect): Plan | null {
  const plans = frozenEnds(context, recent)
    .flatMap((frozen) => {
      const outdated = frozen === 0 ? [] : prospect.outdatedBefore(frozen);
      return outdated ? makePlan(context, rooms, { frozen, recent, outdated, ...prospect }) : [];
    })
    .filter(({ frozen, room }) => frozen === 0 || room > 0);
  const last = plans.at(-1) as Plan;
  if (context.trigger === 'manual') {
    const added = plans.find(({ fresh }) => fresh > 0);
    return added ?? (context.instructions ? last : null);
  }
  const growth = growthOf(context);
  return plans.find((plan) => paysInTime(plan, growth, context, prospect)) ?? { ...last, room: last.room / 2 };
}

/** Where unchanged notes may end: behind all of them, behind the first alone, or nowhere. */
function frozenEnds({ history, attempt }: CompactionContext, recent: number): readonly number[] {
  const kinds = history.slice(0, recent).map(readNotes);
  const first = kinds.indexOf('first');
  const continued = kinds.filter((kind) => kind === 'continued').length;
  if (attempt > 1 || first < 0 || continued >= MOST_CONTINUED) return [0];
  let end = kinds.findLastIndex((kind) => kind !== null) + 1;
  // Summaries right after the notes were inserted with them.
  while (end < recent && isSummary(history[end] as ContextMessage)) end++;
  return continued > 0 ? [end, first + 1, 0] : [end, 0];
}

function makePlan(
  { history, attempt, tokenCount, targetTokens }: CompactionContext,
  rooms: Rooms,
  {
    frozen,
    recent,
    outdated,
    asks,
    returns,
    hasReturned,
  }: Prospect & Pick<Plan, 'frozen' | 'outdated'> & { readonly recent: number },
): Plan {
  const stays = findStaying(history, frozen, recent, rooms);
  const tokensOf = (is: (message: ContextMessage, i: number) => boolean) => sumTokens(history.filter(is));
  const leaving = tokensOf((_, i) => !stays.has(i));
  const staying = tokensOf((_, i) => stays.has(i));
  const held = tokensOf((message, i) => i < frozen && stays.has(i) && isKept(message));
  const others = Math.max(0, tokenCount - leaving - staying) + staying + (asks ? WRITTEN_TOKENS : 0);
  const share = frozen > 0 ? CONTINUED_SHARE : FIRST_SHARE;
  const newest = history.findLastIndex((message) => readNotes(message) !== null);
  const least = hasReturned ? LEAST_OF_RETURNING * rooms.notes : LEAST_WANTED;
  const wanted = Math.min(rooms.notes, Math.max(least, returns * rooms.notes));
  const most = Math.min(share * wanted, rooms.notes - held) / attempt;
  const beside = Math.min(targetTokens, FULL * rooms.window - others);
  return {
    frozen,
    stays,
    leaving,
    room: Math.min(most, MOST_OF_LEAVING * leaving, Math.max(LEAST_BESIDE * most, beside)),
    fresh: tokensOf((message, i) => i > newest && !stays.has(i) && !message.hidden && !isSummary(message)),
    rewritten: tokensOf((_, i) => stays.has(i) && i >= frozen),
    outdated,
  };
}

/** Notes, and messages that were selected with them. */
const isKept = (message: ContextMessage): boolean => readNotes(message) !== null || message.role !== 'user';

/**
 * Whether it costs no more than it saves until the next one is due, at this growth per answer. Where edits often go back
 * to old lines the notes are worth more than that, and taking more of them would cost more.
 */
function paysInTime(
  { leaving, room, rewritten }: Plan,
  growth: number,
  { prices, tokenCount }: CompactionContext,
  { asks, returns }: Prospect,
): boolean {
  const shares = sharesOfGiven(prices);
  const written = asks ? WRITTEN_TOKENS : 0;
  const freed = leaving - room - written;
  if (freed <= 0) return false;
  const answers = freed / growth;
  const again = rewritten + room + written;
  const price = priceOfCompacting({ read: asks ? tokenCount : 0, written, rewritten: again }, shares);
  const thrift = Math.min(1, Math.max(0, (1 - returns) / (1 - SELDOM)));
  return shares.cached * freed * answers >= thrift * (price - shares.cached * again);
}

function sharesOfGiven(prices: CompactionContext['prices']): PriceShares {
  if (!prices || prices.input <= 0) return USUAL_SHARES;
  const { input, output, cacheRead, cacheWrite } = prices;
  return { cached: cacheRead / input, uncached: Math.max(input, cacheWrite) / input, output: output / input };
}

/** Number of answers over which growth is measured: reads and edits even out, and it is still of the present work. */
const LATELY = 20;

/** Tokens per answer, of late. */
function growthOf({ past }: CompactionContext): number {
  let [tokens, answers] = [0, 0];
  for (let i = past.length - 1; i >= 0 && answers < LATELY; i--) {
    const message = past[i];
    tokens += message?.tokens ?? 0;
    if (message?.role === 'assistant') answers++;
  }
  return Math.max(1, tokens / Math.max(1, answers));
}

/** Fewer answers after notes, the model that summarised then would have little to add. */
const SOON = 10;

/** Whether a model may be asked: only a person may ask it again so soon after the last notes. */
export function isTimeToAsk({ history, trigger }: CompactionContext): boolean {
  const notes = history.findLastIndex((message) => readNotes(message) !== null);
  if (notes < 0 || trigger === 'manual') return true;
  return history.slice(notes).filter(({ role }) => role === 'assistant').length >= SOON;
}

/**
 * Indices of messages that stay whatever their worth, in whole blocks. Ledgers go: their content is carried into the
 * next one.
 */
function findStaying(
  history: readonly ContextMessage[],
  frozen: number,
  recent: number,
  { users, protectedTools }: Rooms,
): ReadonlySet<number> {
  const blocks = new Set<number>();
  const first = history.findIndex(isPerson);
  let room = users;
  for (const [i, message] of [...history.entries()].reverse()) {
    const isOwn = isPerson(message) || isWritten(message);
    const fits = isOwn && (message.tokens <= room || i === first);
    if (fits && i >= frozen && i < recent) room -= message.tokens;
    const isLeft = (i < frozen && !isOldLedger(message)) || i >= recent;
    const isKept = message.role === 'tool' && protectedTools.includes(message.toolName);
    if (isLeft || isKept || message.protected || fits) blocks.add(message.block);
  }
  return new Set(history.flatMap(({ block }, i) => (blocks.has(block) ? [i] : [])));
}

const isOldLedger = (message: ContextMessage) => isSummary(message) && isLedger(message.text);
