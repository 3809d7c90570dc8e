/** Numbers and times as the panel shows them. */

import { config, t } from '@vscode/l10n';
import { describeLoss } from '../../src/core/cost/coldCache.ts';
import { formatDuration as describeDuration } from '../../src/core/duration.ts';
import { type FateCount, fateWords } from '../../src/core/fates.ts';
import { inLanguage as tellIn, type Words } from '../../src/core/words.ts';
import type { PanelState } from '../../src/protocol/messages.ts';
import type { ApprovalCard } from '../../src/protocol/rows.ts';

export {
  formatBoth,
  formatBytes,
  formatCount,
  formatPercent,
  formatShare,
  formatTokens,
} from '../../src/core/figures.ts';

export function formatDuration(ms: number): string {
  return inPanelLanguage(describeDuration(ms));
}

/** For today the time, for earlier days the date. */
export function formatWhen(time: number, now: number): string {
  const sameDay = new Date(time).toDateString() === new Date(now).toDateString();
  const options: Intl.DateTimeFormatOptions = sameDay
    ? { hour: '2-digit', minute: '2-digit' }
    : { day: 'numeric', month: 'short', ...(now - time > 300 * 86_400_000 ? { year: 'numeric' } : {}) };
  return new Intl.DateTimeFormat(language, options).format(time);
}

const AGES: readonly (readonly [Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['week', 7 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Such as `3 days ago`, in the largest unit of which there is one. A time in the future is now. */
export function formatAge(time: number, now: number): string {
  const ms = Math.max(0, now - time);
  const [unit, each] = AGES.find(([, size]) => ms >= size) ?? ['second', Number.POSITIVE_INFINITY];
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-Math.floor(ms / each) || 0, unit);
}

export type Age = 'today' | 'yesterday' | 'week' | 'month' | 'older';

const DAY_MS = 86_400_000;

/** By days of the calendar. A time in the future counts as today. */
export function ageOf(time: number, now: number): Age {
  const today = new Date(now).setHours(0, 0, 0, 0);
  if (time >= today) return 'today';
  // Rounded, because a day on which the clocks change has another length.
  const days = Math.round((today - new Date(time).setHours(0, 0, 0, 0)) / DAY_MS);
  if (days === 1) return 'yesterday';
  return days < 7 ? 'week' : days < 30 ? 'month' : 'older';
}

/** The question on an approval card. */
export function formatQuestion(detail: ApprovalCard['detail']): string {
  if (detail.kind === 'command')
    return detail.background ? t('Run this command in the background?') : t('Run this command?');
  if (detail.kind === 'mcp')
    return detail.extension
      ? t('Allow this call to {0} of the extension {1}?', detail.tool, detail.server)
      : t('Allow this call to {0} on the MCP server {1}?', detail.tool, detail.server);
  if (detail.kind === 'web') return t('Read this page from {0}?', detail.host);
  if (detail.kind === 'delete') return t('Delete this file?');
  if (detail.kind === 'move') return t('Move this file?');
  return detail.creates ? t('Create this file?') : t('Allow this edit?');
}

/** For dates and numbers. */
const language = loadTranslations() ? document.documentElement.lang : 'en';

export function inPanelLanguage(notice: Words): string {
  return tellIn(notice, t);
}

/** Such as `7 hidden` and `20 read by the summary`. */
export function listFates(fates: readonly FateCount[]): string[] {
  return fates.map((each) => inPanelLanguage(fateWords(each)));
}

/** The cost of an action that invalidates the prompt cache; empty when little would be lost. */
export function warnOfLoss(state: PanelState | null): string {
  return inPanelLanguage(describeLoss(state?.meter.cache ?? null, Date.now()));
}

export function linesInPanelLanguage(lines: readonly Words[]): string {
  return lines.map(inPanelLanguage).join('\n');
}

function loadTranslations(): boolean {
  const contents = globalThis.document?.getElementById('translations')?.textContent;
  if (!contents) return false;
  config({ contents });
  return true;
}
