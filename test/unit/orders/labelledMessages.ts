/** Messages to a coding agent, by language, with the standing orders that they hold. */

export type Labelled = Readonly<Record<string, LabelledLanguage>>;

interface LabelledLanguage {
  /** By kind: messages that are one standing order. */
  readonly orders: Readonly<Record<string, readonly string[]>>;
  /** Messages of several sentences, with the sentences or clauses that are orders. */
  readonly within: readonly (readonly [message: string, orders: readonly string[]])[];
  /** By kind: messages that hold none. */
  readonly none: Readonly<Record<string, readonly string[]>>;
}

export interface LabelledMessage {
  readonly language: string;
  readonly kind: string;
  readonly text: string;
  readonly orders: readonly string[];
}

export function messagesOf(labelled: Labelled): LabelledMessage[] {
  return Object.entries(labelled).flatMap(([language, { orders, within, none }]) => [
    ...Object.entries(orders).flatMap(([kind, texts]) =>
      texts.map((text) => ({ language, kind, text, orders: [text] })),
    ),
    ...within.map(([text, expected]) => ({ language, kind: 'within', text, orders: expected })),
    ...Object.entries(none).flatMap(([kind, texts]) => texts.map((text) => ({ language, kind, text, orders: [] }))),
  ]);
}

export interface Judged {
  readonly found: number;
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

/** Compares what `find` returns with the labels, sentence by sentence. */
export function judge(messages: readonly LabelledMessage[], find: (text: string) => readonly string[]): Judged {
  const meets = (one: string, other: string) => one.includes(other) || other.includes(one);
  const judged = messages.map(({ text, orders }) => {
    const got = find(text);
    return {
      found: orders.filter((order) => got.some((each) => meets(each, order))),
      missed: orders.filter((order) => !got.some((each) => meets(each, order))),
      wrong: got.filter((each) => !orders.some((order) => meets(each, order))),
    };
  });
  return {
    found: judged.flatMap(({ found }) => found).length,
    missed: judged.flatMap(({ missed }) => missed),
    wrong: judged.flatMap(({ wrong }) => wrong),
  };
}

export const recallOf = ({ found, missed }: Judged) => found / Math.max(1, found + missed.length);
export const precisionOf = ({ found, wrong }: Judged) => found / Math.max(1, found + wrong.length);
