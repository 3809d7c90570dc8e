/** The facts of the lab's page, and the ids of what can be pressed and typed on it. Pure. */

import type { LabReport } from '../../lab/makeReport.ts';
import type { BrokenReplay } from '../../lab/replay.ts';
import type { LabResult } from '../../node/lab/replayStored.ts';
import type { LabSession } from '../../node/lab/storedSession.ts';
import type { NamedContender } from './contenders.ts';

export interface LabFacts {
  readonly sessions: readonly LabSession[];
  readonly contenders: readonly NamedContender[];
  readonly window: number;
  /** Null when nothing runs. */
  readonly progress: { readonly done: number; readonly all: number; readonly secondsLeft: number | null } | null;
  readonly results: readonly LabResult[];
  /** Set with the results, once nothing runs: its intervals take a while. */
  readonly report: LabReport | null;
  readonly broken: readonly BrokenReplay[];
  readonly unread: readonly string[];
  /** The session and contender whose sizes and misses are shown. */
  readonly opened: { readonly session: string; readonly name: string } | null;
}

/** Ids of the page's buttons and fields. Numbers are indices in the lists of sessions, contenders and misses. */
export const ACT = {
  sessions: 'sessions',
  longer: 'longer sessions',
  sample: 'sample',
  strategies: 'strategies',
  window: 'window',
  replay: 'replay',
  cancel: 'cancel',
  csv: 'csv',
  markdown: 'markdown',
  svg: 'svg',
  session: (at: number) => `session ${at}`,
  strategy: (at: number) => `strategy ${at}`,
  use: (at: number) => `use ${at}`,
  miss: (at: number) => `miss ${at}`,
  set: (contender: string, field: string) => `set ${contender} ${field}`,
  another: (contender: string) => `another ${contender}`,
  remove: (contender: string) => `remove ${contender}`,
} as const;

export const labelOf = ({ contenders }: Pick<LabFacts, 'contenders'>, name: string): string =>
  contenders.find((each) => each.name === name)?.label ?? name;
