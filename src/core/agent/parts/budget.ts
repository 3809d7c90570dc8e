/**
 * The cost limits of a turn with its subagents, of a single subagent, and of a whole session, in addition to the limit
 * of requests. Unknown prices are reported, not guessed. A limit applies to each currency separately.
 */

import { formatCosts, formatMoney } from '../../cost/formatMoney.ts';
import { addMoney, type Spending, spentSince } from '../../cost/spending.ts';
import { formatCount } from '../../figures.ts';
import type { NoteEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import { DEMO, type ModelChoice } from '../../model/modelChoice.ts';
import type { Costs, Money } from '../../money.ts';
import { type Words, words } from '../../words.ts';
import type { AgentSettings } from '../settings.ts';
import type { AgentPerson } from './agentPerson.ts';

type Limits = Pick<AgentSettings['agent'], 'costLimit' | 'budgets'>;

/** The turn whose cost is limited. */
interface PaidTurn {
  readonly journal: Journal;
  readonly model: Pick<ModelChoice, 'model' | 'price'>;
  readonly person: Pick<AgentPerson, 'questions'>;
  settings(): { readonly agent: Limits };
}

/** Of the session that gave a subagent its task: what the subagent uses counts there, too. */
export type ParentBudget = Pick<Budget, 'reached' | 'reportUnknown'>;

export class Budget {
  readonly #turn: PaidTurn;
  readonly #parent: ParentBudget | undefined;
  /** At the beginning of the turn. */
  #before: Spending;
  /** The amount the person allowed this session beyond its budget, in each currency. */
  #allowed: Journal['spending']['known'] = [];
  /** The person was asked in this turn, and did not agree. */
  #refusal: Words | null = null;
  #reported = false;

  constructor(turn: PaidTurn, parent: ParentBudget | undefined) {
    this.#turn = turn;
    this.#parent = parent;
    this.#before = turn.journal.spending;
  }

  /** Counts from now on, including summaries that the turn makes. */
  beginTurn(): void {
    this.#before = this.#turn.journal.spending;
    // Where nobody can be asked, going on is the answer.
    if (this.#refusal && !this.#turn.person.questions) this.#allowMore();
    this.#refusal = null;
  }

  /** Why the turn pauses; null while it may continue. A turn makes its `first` request also with nothing left to spend. */
  async reached(first: boolean, signal: AbortSignal): Promise<Words | null> {
    if (this.#parent) return this.#subagentReached(this.#parent, first, signal);
    const over = this.#overSession();
    // Waits for nothing where nothing is asked: it runs before each request.
    const refusal = this.#refusal ?? (over && (await this.#askForMore(over, signal)));
    if (refusal) return refusal;
    const spent = spentSince(this.#before, this.#turn.journal.spending);
    if (spent.unknown > 0 && !this.#reported) await this.#reportOwn(this);
    return first ? null : this.#overTurn(spent);
  }

  /** Once per session and model: a limit that cannot be enforced must not look as if it were. */
  async reportUnknown({ model, price }: Pick<ModelChoice, 'model' | 'price'>): Promise<void> {
    const { costLimit, budgets } = this.#turn.settings().agent;
    if (price || model === DEMO || (costLimit === 0 && !budgets.session && !budgets.subagent)) return;
    const notice = words(
      'The cost limit cannot be checked: the price of {0} is unknown. Set it in the settings of its endpoint.',
      model,
    );
    const { journal } = this.#turn;
    const isSame = (note: NoteEntry) => JSON.stringify(note.words) === JSON.stringify(notice);
    for (const note of journal.ofType('note')) if (isSame(note)) return;
    await journal.append(makeNote('warning', notice, { action: 'openSettings' }));
  }

  #overTurn(spent: Costs): Words | null {
    const { costLimit } = this.#turn.settings().agent;
    const over = costLimit > 0 ? spent.known.find(({ amount }) => amount >= costLimit) : undefined;
    if (!over) return null;
    const limit = formatMoney({ ...over, amount: costLimit });
    return words('The turn has cost {0}; its limit is {1}. Continue, or send a message.', formatCosts(spent), limit);
  }

  /** The session's cost in a currency whose budget is used up. */
  #overSession(): Money | undefined {
    const { session: budget = 0 } = this.#turn.settings().agent.budgets;
    if (budget === 0) return undefined;
    return this.#turn.journal.spending.known.find((spent) => spent.amount >= this.#limitIn(spent.currency, budget));
  }

  #limitIn(currency: string, budget: number): number {
    return Math.max(budget, this.#allowed.find((each) => each.currency === currency)?.amount ?? 0);
  }

  /** Null when the person agreed. */
  async #askForMore(over: Money, signal: AbortSignal): Promise<Words | null> {
    const { session: budget = 0 } = this.#turn.settings().agent.budgets;
    const { journal, person } = this.#turn;
    const limit = formatMoney({ ...over, amount: this.#limitIn(over.currency, budget) });
    const spent = formatCosts(journal.spending);
    const text = words('This session has cost {0}; its budget is {1}. Continue?', spent, limit);
    const next = formatMoney({ ...over, amount: nextLimit(over.amount, budget) });
    const answer = await person.questions?.ask({ kind: 'permit', text, yes: words('Up to {0}', next) }, signal);
    if (answer?.kind === 'approve') {
      this.#allowMore();
      await journal.append(makeNote('info', words('You allowed this session to cost up to {0}.', next)));
      return null;
    }
    this.#refusal = words('This session has cost {0}; its budget is {1}. Continue, or send a message.', spent, limit);
    return this.#refusal;
  }

  #allowMore(): void {
    const { session: budget = 0 } = this.#turn.settings().agent.budgets;
    if (budget === 0) return;
    for (const { amount, currency } of this.#turn.journal.spending.known) {
      if (amount < budget) continue;
      const others = this.#allowed.filter((each) => each.currency !== currency);
      this.#allowed = addMoney(others, { amount: nextLimit(amount, budget), currency });
    }
  }

  /** First what the whole turn of the parent may cost, then the subagent's own caps. */
  async #subagentReached(parent: ParentBudget, first: boolean, signal: AbortSignal): Promise<Words | null> {
    const { journal } = this.#turn;
    const { subagent: cap = 0, subagentTokens = 0 } = this.#turn.settings().agent.budgets;
    if (journal.spending.unknown > 0) await this.#reportOwn(parent);
    const whole = await parent.reached(false, signal);
    if (whole || first) return whole;
    const over = cap > 0 ? journal.spending.known.find(({ amount }) => amount >= cap) : undefined;
    if (over) {
      const limit = formatMoney({ ...over, amount: cap });
      return words('It has cost {0}; the limit of a subagent is {1}.', formatMoney(over), limit);
    }
    const tokens = subagentTokens > 0 ? tokensUsed(journal) : 0;
    if (subagentTokens === 0 || tokens < subagentTokens) return null;
    const [used, most] = [tokens, subagentTokens].map(formatCount);
    return words('It has used {0} tokens; the limit of a subagent is {1}.', used ?? '', most ?? '');
  }

  async #reportOwn(budget: Pick<Budget, 'reportUnknown'>): Promise<void> {
    if (this.#reported) return;
    this.#reported = true;
    await budget.reportUnknown(this.#turn.model);
  }
}

/**
 * Whether an expense that nobody asked for stays within the limits of the session and of a turn. A cost that nobody knows
 * is within none.
 */
export function mayCost(cost: Money | null, spent: Spending, { costLimit, budgets }: Limits): boolean {
  const { session = 0 } = budgets;
  if (costLimit === 0 && session === 0) return true;
  if (!cost || spent.unknown > 0) return false;
  const whole = cost.amount + (spent.known.find(({ currency }) => currency === cost.currency)?.amount ?? 0);
  return (costLimit === 0 || cost.amount <= costLimit) && (session === 0 || whole <= session);
}

/** The next whole multiple of the budget. */
const nextLimit = (spent: number, budget: number): number => (Math.floor(spent / budget) + 1) * budget;

/** Read, from the cache too, and answered; estimates where nothing was counted. */
function tokensUsed(journal: Journal): number {
  let tokens = 0;
  for (const { usage } of journal.ofType('usage', 'summaryUsage', 'samplingUsage'))
    tokens += usage.input + usage.output;
  return tokens;
}
