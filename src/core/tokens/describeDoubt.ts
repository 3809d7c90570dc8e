/** Tells a person which report of a provider is not believed, why, and what is used instead. */

import type { NoteEntry } from '../journal/entry.ts';
import { type Words, words } from '../words.ts';
import type { ReportDoubt } from './judgeReports.ts';

interface DoubtFacts {
  readonly model: string;
  readonly reported: number;
  /** Of the same request, by our own estimate. */
  readonly estimated: number;
}

export function describeDoubt(doubt: ReportDoubt, facts: DoubtFacts): Words {
  return [...why(doubt, facts), ...consequence(facts.model)];
}

/** True for the note that was made of `describeDoubt` for this model, whatever the doubt was. */
export function isDoubtNote({ words: said = [] }: Pick<NoteEntry, 'words'>, model: string): boolean {
  const [sentence] = consequence(model);
  return said.some(({ text, values }) => text === sentence?.text && values[0] === model);
}

const consequence = (model: string) =>
  words(
    'Such a count is not believed: the context and the cost of {0} are estimated until its counts fit what was sent.',
    model,
  );

function why(doubt: ReportDoubt, { model, reported, estimated }: DoubtFacts): Words {
  const count = Number.isFinite(reported) ? reported : String(reported);
  switch (doubt.why) {
    case 'aboveWindow':
      return words(
        '{0} answered a request of about {1} tokens and counted {2}, more than its window of {3}.',
        model,
        estimated,
        count,
        doubt.window,
      );
    case 'tooMuch':
    case 'tooLittle':
      return words('{0} answered a request of about {1} tokens and counted {2}.', model, estimated, count);
    case 'grew':
      return words(
        '{0} counted {1} more tokens than before, after about {2} were added.',
        model,
        doubt.by,
        doubt.added,
      );
    case 'shrank':
      return words(
        '{0} counted {1} fewer tokens than before, after about {2} were added.',
        model,
        doubt.by,
        doubt.added,
      );
    case 'standsStill':
      return words(
        '{0} counted {1} tokens again, although about {2} were added. If its answers forget what was said before, it reads no more: then set its context window to {1} in the settings.',
        model,
        count,
        doubt.added,
      );
  }
}
