/** One goal of a benchmark: what was measured in this run and whether it is met. */

export interface Line {
  /** Row of the list of goals, for instance `F12`. */
  readonly id: string;
  readonly name: string;
  /** For a person, with its unit or `×`. */
  readonly figure: string;
  readonly goal: string;
  readonly ok: boolean;
}

/** A file `bench/*.bench.ts` exports these. */
export interface Bench {
  readonly id: string;
  run(): Promise<Line[]>;
  /** The same over as much as takes minutes, where that says more. */
  runLong?(): Promise<Line[]>;
}

/** A line for `measured` times something, at most `limit` times. */
export function ratioLine(id: string, name: string, measured: number, limit: number): Line {
  return { id, name, figure: `${measured.toFixed(2)} ×`, goal: `≤ ${limit} ×`, ok: measured <= limit };
}

/** A line for a share from 0 to 1, shown in per cent, at most `limit`. */
export function percentLine(id: string, name: string, share: number, limit: number): Line {
  const percent = (each: number, digits: number) => `${(100 * each).toFixed(digits)}%`;
  return { id, name, figure: percent(share, 1), goal: `≤ ${percent(limit, 0)}`, ok: share <= limit };
}

/** A line for a size in bytes, shown in KB. */
export function sizeLine(id: string, name: string, bytes: number, limit: number): Line {
  const kilobytes = (size: number): string => `${Math.round(size / 1024)} KB`;
  return { id, name, figure: kilobytes(bytes), goal: `≤ ${kilobytes(limit)}`, ok: bytes <= limit };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which `share` of the sorted values lie; the nearest one that was measured. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.round(share * (sorted.length - 1))];
  if (value === undefined) throw new Error('a quantile of nothing');
  return value;
}

/** In columns for a terminal. */
export function tableOf(lines: readonly Line[]): string {
  const rows = [
    ['goal', 'result', 'figure', 'limit', 'what'],
    ...lines.map(({ id, ok, figure, goal, name }) => [id, ok ? 'held' : 'SHORT', figure, goal, name]),
  ];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
