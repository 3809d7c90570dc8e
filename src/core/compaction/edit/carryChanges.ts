/** A person's changes on a newer preview of the same conversation, so that none is lost when it has moved on. Pure. */

import { choose, type EditOutcome, type PlanEdit, rewrite } from './planEdit.ts';

export interface Carried {
  readonly edit: PlanEdit;
  /** Changes that no longer fit. */
  readonly lost: number;
}

/** By the ids of messages; other words for a summary go to the one that stands in its place. */
export function carryChanges(from: PlanEdit, to: PlanEdit): Carried {
  const { messages } = from.start.history;
  const indexOf = new Map(to.start.history.messages.map(({ id }, index) => [id, index]));
  let edit = to;
  let lost = 0;
  const take = (outcome: EditOutcome) => {
    if (outcome.kind === 'edit') edit = outcome.edit;
    else lost++;
  };
  for (const [index, choice] of from.stays) take(choose(edit, indexOf.get(messages[index]?.id ?? '') ?? -1, choice));
  for (const [block, leaves] of from.leaves) {
    const first = messages.find((message) => message.block === block);
    const index = indexOf.get(first?.id ?? '') ?? -1;
    if (leaves) take(choose(edit, index, 'drop'));
    // What was only brought back is brought back here, too.
    else if (index >= 0 && to.proposal.bare.isDropped(index))
      take(choose(edit, index, from.stays.get(messages.findIndex((each) => each.block === block)) ?? 'keep'));
  }
  for (const [at, text] of from.texts) take(rewrite(edit, at, text));
  return { edit, lost };
}
