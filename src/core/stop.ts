/**
 * Why work was stopped. Every abort of a turn carries one of these causes, and the journal, the row and the text for the
 * model name that one: nobody is said to have done what they did not do.
 */

export type StopCause =
  /** *Stop*, or its like in an editor that is served. */
  | 'person'
  /** A message of the person that goes first. */
  | 'message'
  /** The window closes, or the program that serves the agent ends. */
  | 'window'
  /** The session is closed while the window stays: it goes to another window, or its file is changed. */
  | 'session'
  | 'timeLimit'
  /** A program that embeds the agent, which gave no cause. */
  | 'program';

const STOP_TEXTS: Readonly<Record<StopCause, string>> = {
  person: 'The person stopped the turn',
  message: 'The person stopped the turn for another message',
  window: 'The window was closed',
  session: 'The session was closed',
  timeLimit: 'A time limit ended the turn',
  program: 'The turn was stopped',
};

/** The reason of an aborted signal. */
export class Stop extends Error {
  override readonly name = 'AbortError';
  readonly by: StopCause;

  constructor(by: StopCause) {
    super(`${STOP_TEXTS[by]}.`);
    this.by = by;
  }
}

/** The cause of an aborted signal. */
export function causeOf({ reason }: Pick<AbortSignal, 'reason'>): StopCause {
  if (reason instanceof Stop) return reason.by;
  return reason instanceof Error && reason.name === 'TimeoutError' ? 'timeLimit' : 'program';
}

/** Foreign data: a journal may come from another version. */
export function isStopCause(value: unknown): value is StopCause {
  return typeof value === 'string' && Object.hasOwn(STOP_TEXTS, value);
}

/** True for the text of a result that begins with one of the causes. */
export const isStopText = (text: string): boolean =>
  Object.values(STOP_TEXTS).some((begin) => text.startsWith(`${begin} `));

/** For the model, followed by what it means for a call, a command or a task. */
export const describeStop = (by: StopCause, means: string): string => `${STOP_TEXTS[by]} ${means}`;

/** The result of a call that never began. */
export function describeNotRun(by: StopCause): string {
  const asked = by === 'window' || by === 'session' ? ' Nobody has allowed or declined it.' : '';
  return `${STOP_TEXTS[by]} before this call ran.${asked}`;
}

/** The result of a call that was running. */
export const describeCutOff = (by: StopCause): string =>
  `${STOP_TEXTS[by]} while this call ran. What it had done until then is not undone.`;
