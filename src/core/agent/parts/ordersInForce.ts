/** Which standing orders apply to a session: its own, and those of the session that gave it its task. */

import type { StandingOrder } from '../../instructions/orders/foldOrders.ts';
import { readOrders } from '../../instructions/orders/standingOrders.ts';
import type { Journal } from '../../journal/journal.ts';
import type { AgentSettings } from '../settings.ts';

interface OrderedSession {
  readonly session: { readonly journal: Journal };
  readonly settings: () => Pick<AgentSettings, 'memory'>;
  /** The session that gave this one its task. */
  readonly parent?: { readonly journal: Journal };
}

/** Orders that apply to this session, oldest first. Empty where they are switched off. */
export function ordersInForce({ session, settings, parent }: OrderedSession): readonly StandingOrder[] {
  if (!settings().memory.standingOrders) return [];
  // The person's orders to the parent also apply to its subagents, which do not see the original messages.
  const inherited = parent ? readOrders(parent.journal).map((order) => inherit(order, parent.journal)) : [];
  return [...inherited, ...readOrders(session.journal)];
}

/** Said elsewhere, and before anything that is said here. */
function inherit(order: StandingOrder, { nextSeq }: Journal): StandingOrder {
  const here = <L extends { readonly at: number }>(line: L) => ({ ...line, inView: false, at: line.at - nextSeq });
  return { ...here(order), later: order.later.map(here) };
}
