/** Built-in strategies for use by other strategies, on the history of their context or on a modified one. */

import type {
  BuiltIns,
  CompactionContext,
  ContextMessage,
  NewSummary,
  SummaryModel,
  UserMessage,
} from '../../../api/index.ts';
import { ModelError } from '../../errors.ts';
import { isObject } from '../../json.ts';
import { describeFault, type Settings } from '../../setting.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { inEnglish } from '../../words.ts';
import { insertTokens } from '../draft/draft.ts';
import { BUILT_IN_STRATEGIES } from '../strategies/builtIn.ts';
import { type BuiltInStrategy, GENERAL_PARAMETERS } from '../strategies/defineStrategy.ts';

/** Maximum new summaries that such a history may hold in addition to the context's messages. */
const MOST_SUMMARIES = 100;

/** `llm` is the model for built-in strategies, `sectionOf` returns the person's settings of one. */
export function lendBuiltIns(
  context: () => CompactionContext,
  llm: SummaryModel,
  sectionOf: (id: string) => Readonly<Record<string, unknown>>,
): BuiltIns {
  const run: BuiltIns['run'] = async (id, options = {}) => {
    const outer = context();
    const { history: given = outer.history, settings, targetTokens, attempt } = options;
    if (outer.signal.aborted) throw new ModelError('aborted', 'This compaction is over.');
    const entry = BUILT_IN_STRATEGIES.find((each) => each.id === id);
    if (!entry)
      throw new TypeError(
        `builtins.run: ${String(id)} is none of ${BUILT_IN_STRATEGIES.map((each) => each.id).join(', ')}.`,
      );
    checkSettings(entry, settings);
    const { history, restore } = takeIn(given, outer.history);
    const isOurs = (message: ContextMessage) => !restore.has(message.id);
    const strategy = entry.factory.create({
      llm,
      countTokens,
      log: () => undefined,
      settings: () => ({ ...sectionOf(entry.id), ...settings }),
    });
    // By inheritance, so that lazy properties stay lazy.
    const inner = Object.create(outer, {
      history: { value: history },
      llm: { value: llm },
      targetTokens: { value: atLeastOne(targetTokens, outer.targetTokens) },
      attempt: { value: atLeastOne(attempt, outer.attempt) },
      // A new summary cannot be recalled, so no stub can replace it.
      hide: {
        value: <M extends ContextMessage>(message: M, reason?: string, always?: boolean) =>
          isOurs(message) ? outer.hide(message, reason, always) : message,
      },
      // The outer strategy reports progress itself.
      soFar: { value: () => undefined },
    }) as CompactionContext;
    const made = await strategy.compact(inner);
    if (made === null) return given;
    return Object.freeze(('messages' in made ? made.messages : made).map((each) => giveBack(each, restore)));
  };
  return Object.freeze({ run });
}

/** Throws `TypeError` for a name that the strategy has no setting of, and for a value that does not fit. */
function checkSettings({ id, section }: BuiltInStrategy, given: unknown): void {
  if (given === undefined) return;
  const reject = (why: string) => new TypeError(`builtins.run: ${why}`);
  if (!isObject(given)) throw reject('settings is no object.');
  const known: Settings = { ...GENERAL_PARAMETERS, ...section.fields };
  for (const [name, value] of Object.entries(given)) {
    const setting = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!setting) throw reject(`${id} has no setting ${name}. It has ${Object.keys(known).join(', ')}.`);
    const { error } = setting.schema.safeParse(value);
    if (error) throw reject(`${name} of ${id} cannot be ${show(value)}. ${inEnglish(describeFault(error))}`);
  }
}

const show = (value: unknown) => (JSON.stringify(value) ?? String(value)).slice(0, 200);

/**
 * Converts the list to a history in which new summaries are messages with ids of their own. Throws for lists that could
 * not be returned either.
 */
function takeIn(given: unknown, own: readonly ContextMessage[]) {
  const restore = new Map<string, NewSummary>();
  if (given === own) return { history: own, restore };
  const reject = (why: string) => new TypeError(`builtins.run: ${why}.`);
  if (!Array.isArray(given)) throw reject('history is no list');
  if (given.length > own.length + MOST_SUMMARIES) throw reject('history is longer than that of the context');
  const ids = new Set(own.map(({ id }) => id));
  let before: ContextMessage | undefined;
  const history = given.map((each: ContextMessage | NewSummary | undefined, i) => {
    if (each?.id === undefined) {
      if (each?.kind !== 'summary' || typeof each.text !== 'string') throw reject(`entry ${i} is no message`);
      const message = asMessage(each, i, before ?? own[0]);
      restore.set(message.id, each);
      return message;
    }
    if (!ids.has(each.id)) throw reject(`entry ${i} has an id that is not in the history`);
    before = each;
    return each;
  });
  return { history: Object.freeze(history), restore };
}

function asMessage({ text }: NewSummary, nth: number, beside: ContextMessage | undefined): UserMessage {
  const { round = 0, time = 0 } = beside ?? {};
  const place = { block: -1 - nth, round, time, tokens: insertTokens(text), protected: false, hidden: false };
  return Object.freeze({ role: 'user', kind: 'summary', id: `new${nth}`, text, ...place, attachments: [] });
}

function giveBack(made: ContextMessage | NewSummary, restore: ReadonlyMap<string, NewSummary>) {
  const summary = made.id === undefined ? undefined : restore.get(made.id);
  if (!summary || summary.text === made.text) return summary ?? made;
  return Object.freeze({ ...summary, text: made.text });
}

const atLeastOne = (given: number | undefined, byDefault: number): number =>
  given !== undefined && Number.isFinite(given) ? Math.max(1, Math.floor(given)) : byDefault;
