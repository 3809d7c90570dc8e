/** What the lab's page is made of, and the ids of its buttons and fields. */

import type { LabReport } from '../../lab/makeReport.ts';
import type { Contender } from './contenders.ts';
import type { LabResult, LabSession } from './replayStored.ts';

export interface NamedContender {
  readonly contender: Contender;
  /** What the results and the files that are saved call it. */
  readonly name: string;
  /** The same for the person. */
  readonly label: string;
}

export interface LabFacts {
  readonly sessions: readonly LabSession[];
  readonly contenders: readonly NamedContender[];
  readonly window: number;
  /** Null when nothing runs. */
  readonly progress: { readonly done: number; readonly all: number; readonly secondsLeft: number | null } | null;
  readonly results: readonly LabResult[];
  /** Of the results, once nothing runs: its intervals take a while. */
  readonly report: LabReport | null;
  readonly unread: readonly string[];
  /** Whose sizes and misses are shown: a session, and the name of a contender. */
  readonly looked: { readonly session: string; readonly name: string } | null;
}

/** Ids of what the page's buttons and fields do. Numbers are places in the lists of sessions, contenders and misses. */
export const ACT = {
  sessions: 'sessions',
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
