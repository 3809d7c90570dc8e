/**
 * Wraps the factory under test to observe its strategy: what it returned and threw, what it asked a model and how, what
 * it said, what it did while it was created and disposed of, and which errors and timers outlive its calls.
 */

import type {
  CompactionContext,
  CompactionStrategy,
  ContextMessage,
  StrategyPorts,
  SummaryModel,
} from '../../../api/index.ts';
import type { Timers } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import { countTokens } from '../../tokens/estimate.ts';
import type { Words } from '../../words.ts';
import type { AnyFactory } from '../strategies/strategyEntry.ts';
import { rule } from './rule.ts';

/** One call of a strategy, or of another of its functions. */
export interface Called {
  returned?: unknown;
  threw: { readonly thrown: unknown } | null;
  /** Whether `returned` or `threw` is final. */
  over: boolean;
  /** Breaches of the guide that the product would let pass. */
  readonly misuse: Words[];
  /** Texts that left the strategy in other ways than in its result, each with its name. */
  readonly texts: { readonly what: string; readonly text: string }[];
  /** Messages of the errors with which its model rejected. */
  readonly modelErrors: string[];
  /** Requests to its model. */
  asked: number;
  /** Those that were to continue the session's last request. */
  continued: number;
  /** Faults of what those were to cover: they could never be continued, which costs only a request of its own. */
  readonly unfit: Words[];
}

const newCall = (): Called => ({
  threw: null,
  over: false,
  misuse: [],
  texts: [],
  modelErrors: [],
  asked: 0,
  continued: 0,
  unfit: [],
});

/** Requests of one call that are answered at once; later ones wait for a turn, so that a deadline can end a loop. */
const AT_ONCE = 10;

type Question = Parameters<SummaryModel['complete']>[0];
type ContinuedQuestion = Parameters<NonNullable<SummaryModel['continue']>>[0];
type Own = <T>(work: () => T) => T;

export class Watch {
  readonly factory: AnyFactory;
  /** The newest call of `compact` or `shouldCompact`, or of `create` when that threw. */
  newest: Called = newCall();
  /** Faults of the strategy as it was created. */
  readonly unfit: Words[] = [];
  /** Settles once the strategy was disposed of; holds what its `dispose` threw. */
  disposed: Promise<{ readonly thrown: unknown } | null> = Promise.resolve(null);
  readonly #timers: Timers;
  readonly #own: Own;
  #creating = false;

  /** `called` is called right before the strategy, and `own` runs its code. */
  constructor(
    factory: AnyFactory,
    timers: Timers,
    called: (context: CompactionContext) => void = () => undefined,
    own: Own = (work) => work(),
  ) {
    this.#timers = timers;
    this.#own = own;
    const create = (ports: Parameters<AnyFactory['create']>[0]) => {
      this.#creating = true;
      try {
        return this.#watch(
          own(() => factory.create(this.#watchPorts(ports))),
          called,
        );
      } catch (thrown) {
        this.newest = { ...newCall(), threw: { thrown } };
        throw thrown;
      } finally {
        this.#creating = false;
      }
    };
    this.factory = Object.create(factory, {
      create: { get: () => (typeof factory.create === 'function' ? create : factory.create) },
    });
  }

  #watch(strategy: CompactionStrategy, called: (context: CompactionContext) => void): CompactionStrategy {
    if (typeof strategy?.compact !== 'function') return strategy;
    const { shouldCompact, dispose } = strategy;
    if (dispose !== undefined && typeof dispose !== 'function') this.unfit.push(rule('its dispose is not a function'));
    const asked: unknown =
      typeof shouldCompact === 'function'
        ? (...given: Parameters<typeof shouldCompact>) => {
            const call = this.#begin();
            try {
              return this.#own(() => strategy.shouldCompact?.(...given));
            } catch (thrown) {
              call.threw = { thrown };
              throw thrown;
            } finally {
              call.over = true;
            }
          }
        : shouldCompact;
    return {
      ...(asked === undefined ? {} : { shouldCompact: asked as NonNullable<typeof shouldCompact> }),
      compact: async (context) => {
        const call = this.#begin();
        called(context);
        try {
          const returned = await this.#own(() => strategy.compact(this.#watchContext(context, call)));
          call.returned = returned;
          return returned;
        } catch (thrown) {
          call.threw = { thrown };
          throw thrown;
        } finally {
          call.over = true;
        }
      },
      dispose: () => {
        if (typeof dispose === 'function') this.disposed = settle(() => this.#own(() => strategy.dispose?.()));
      },
    };
  }

  #begin(): Called {
    this.newest = newCall();
    return this.newest;
  }

  /** Ports that are missing from `needs` throw when they are read, so their getters are passed on. */
  #watchPorts(ports: StrategyPorts): StrategyPorts {
    const own = Object.getOwnPropertyDescriptors(ports);
    const { llm, settings, log } = own;
    if (llm?.value) llm.value = this.#watchModel(llm.value, () => this.newest);
    if (log?.value) {
      const write: StrategyPorts['log'] = log.value;
      log.value = (level: Parameters<typeof write>[0], text: string) => {
        this.newest.texts.push({ what: 'its log', text: String(text) });
        write(level, text);
      };
    }
    if (settings?.value) {
      const read: StrategyPorts['settings'] = settings.value;
      settings.value = () => {
        if (this.#creating)
          this.unfit.push(rule('it reads its settings while it is created, when there are none: read them in compact'));
        return read();
      };
    }
    return Object.freeze(Object.defineProperties({}, own)) as StrategyPorts;
  }

  #watchContext(context: CompactionContext, call: Called): CompactionContext {
    const own = Object.getOwnPropertyDescriptors(context) as PropertyDescriptorMap;
    const { report } = context;
    own.llm = { ...own.llm, value: this.#watchModel(context.llm, () => call, context) };
    own.report = {
      ...own.report,
      value: (text: string, fraction?: number) => {
        call.texts.push({ what: 'its report', text: String(text) });
        report(text, fraction);
      },
    };
    return Object.freeze(Object.defineProperties({}, own)) as CompactionContext;
  }

  /** `context`: of the one call that this model answers; the port serves all calls. */
  #watchModel(model: SummaryModel, current: () => Called, context?: CompactionContext): SummaryModel {
    const ask = async <T>(name: string, check: (call: Called) => void, answer: () => Promise<T>): Promise<T> => {
      const call = current();
      // Of its caller, because an error that nobody awaits would only have the stack of the model.
      const from = new Error(`llm.${name} was called here`);
      if (this.#creating)
        this.unfit.push(rule('it uses the port llm while it is created, when no model answers: ask in compact'));
      if (context && call.over && call !== this.newest && !this.newest.over)
        this.newest.misuse.push(rule('it uses the llm of an earlier call: take it from the context of each call'));
      call.asked++;
      // Nobody waits any more: a loop that would ask for ever ends here.
      if (call.over && call.asked > AT_ONCE) return new Promise<never>(() => undefined);
      if (call.asked > AT_ONCE) await new Promise<void>((resolve) => void this.#timers.after(0, resolve));
      check(call);
      try {
        return await answer();
      } catch (thrown) {
        call.modelErrors.push(messageOf(thrown));
        if (typeof thrown === 'object' && thrown !== null) CALLERS.set(thrown, from);
        throw thrown;
      }
    };
    const going = model.continue;
    return Object.freeze({
      get maxInputTokens() {
        return model.maxInputTokens;
      },
      complete: (request: Question) =>
        ask(
          'complete',
          (call) => {
            call.misuse.push(...misuseOf(request, model.maxInputTokens));
            call.texts.push({ what: 'its prompt', text: `${request?.system ?? ''}\n${request?.prompt ?? ''}` });
          },
          () => model.complete(request),
        ),
      ...(going && {
        continue: (question: ContinuedQuestion) =>
          ask(
            'continue',
            (call) => {
              call.continued++;
              call.misuse.push(...misuseOfContinued(question));
              if (question && areChanged(question, context?.history ?? [])) call.unfit.push(CHANGED);
              call.texts.push({ what: 'its task', text: String(question?.task) });
            },
            () => going(question),
          ),
      }),
    });
  }
}

/** Where the author's code asked the model that rejected with this error. */
const CALLERS = new WeakMap<object, Error>();

/** Null for an error that no model caused. */
export function callerOf(thrown: unknown): Error | null {
  return (typeof thrown === 'object' && thrown !== null && CALLERS.get(thrown)) || null;
}

async function settle(run: () => unknown): Promise<{ readonly thrown: unknown } | null> {
  try {
    await run();
    return null;
  } catch (thrown) {
    return { thrown };
  }
}

const FIELDS: ReadonlySet<string> = new Set([
  'system',
  'prompt',
  'covers',
  'whole',
  'maxOutputTokens',
  'tag',
  'signal',
  'schema',
  'model',
]);

/** Faults of a request that the product would pass over in silence. */
function* misuseOf(request: Question, room: number): Generator<Words> {
  if (typeof request !== 'object' || request === null || typeof request.prompt !== 'string') return;
  const { system = '', prompt, whole } = request;
  yield* misuseOfFields('complete', request, FIELDS);
  if (whole === true || room === 0) return;
  const size = countTokens(String(system)) + countTokens(prompt);
  if (size > room)
    yield rule(
      'its prompt of {0} tokens is longer than llm.maxInputTokens, {1}, so that its middle was cut: send it in parts, or with whole: true',
      size,
      room,
    );
}

const CONTINUED_FIELDS: ReadonlySet<string> = new Set(['covers', 'task', 'maxOutputTokens', 'tag', 'signal']);

/** A question that is none is refused by the product itself. */
function* misuseOfContinued(question: ContinuedQuestion): Generator<Words> {
  if (typeof question !== 'object' || question === null || !Array.isArray(question.covers)) return;
  yield* misuseOfFields('continue', question, CONTINUED_FIELDS);
  if (question.covers.length === 0) yield rule('the covers of its llm.continue are an empty list');
}

const CHANGED = rule(
  'the covers of its llm.continue are not messages of history as they are: give it those that the answer is to stand for, before they are changed or hidden',
);

function areChanged({ covers }: ContinuedQuestion, history: readonly ContextMessage[]): boolean {
  const given = new Set(history);
  return Array.isArray(covers) && !covers.every((message) => given.has(message));
}

function* misuseOfFields(
  name: string,
  request: { readonly maxOutputTokens?: number | undefined; readonly tag?: string | undefined },
  fields: ReadonlySet<string>,
): Generator<Words> {
  const { maxOutputTokens: most, tag } = request;
  for (const field of Object.keys(request))
    if (!fields.has(field))
      yield rule('llm.{0} has no field {1}: it takes {2}', name, field.slice(0, 40), [...fields].join(', '));
  if (most !== undefined && !(Number.isSafeInteger(most) && most > 0))
    yield rule('its maxOutputTokens is {0}: it must be a whole number, 1 or more', shown(most));
  if (tag !== undefined && !/^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(String(tag)))
    yield rule('its tag is {0}: it must be the name of the tag alone, such as "summary"', shown(tag));
}

export const shown = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value.slice(0, 40))
    : Array.isArray(value)
      ? 'a list'
      : String(value).slice(0, 40);
