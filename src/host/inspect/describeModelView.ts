/** What the model saw, as a page: where the tokens are, then each part word for word. Pure. */

import type { ModelView } from '../../core/context/modelView.ts';
import type { Translate } from '../../core/words.ts';
import type { Page } from '../../protocol/pages.ts';
import { column, folded, right, section, table, text } from '../pages/blocks.ts';
import { formatCount, formatShare, toCell } from '../pages/textTable.ts';

const LONGEST_BEGINNING = 90;

/** `title` names the request; `facts` are further lines about it, such as what the provider reported. */
export function describeModelView(title: string, facts: readonly string[], view: ModelView, t: Translate): Page {
  const { parts, tokens } = view;
  return {
    title,
    subtitle: t('{0} tokens in {1} parts', formatCount(tokens), parts.length),
    blocks: [
      ...facts.map((each) => text(each)),
      text(describeExactness(view.exact, t), view.exact === false ? 'warning' : 'quiet'),
      { kind: 'actions', actions: [{ id: 'raw', label: t('Raw request') }] },
      section(t('Where the tokens are'), [indexOf(view, t)]),
      section(
        t('Every part, word for word'),
        parts.map((part, at) =>
          folded(
            `part${at}`,
            `${at + 1} · ${part.role}`,
            [{ kind: 'code', text: part.text }],
            `${t('{0} tokens', formatCount(part.tokens))} · ${part.origin} · ${toCell(part.text, LONGEST_BEGINNING)}`,
          ),
        ),
      ),
    ],
  };
}

/** Parts of one kind together: which kinds take the room is what a reader asks first. */
function indexOf({ parts, tokens }: ModelView, t: Translate) {
  const kinds = new Map<string, { count: number; tokens: number }>();
  for (const { role, tokens: own } of parts) {
    const kind = kinds.get(role) ?? { count: 0, tokens: 0 };
    kinds.set(role, { count: kind.count + 1, tokens: kind.tokens + own });
  }
  return table(
    t('Where the tokens are'),
    [column(t('Role')), right(t('Parts')), right(t('Tokens')), right(t('Share'))],
    [...kinds].map(([role, kind]) => [
      role,
      formatCount(kind.count),
      formatCount(kind.tokens),
      formatShare(kind.tokens, tokens),
    ]),
  );
}

function describeExactness(exact: boolean | null, t: Translate): string {
  if (exact === null) return t('This is the request that would be made now. Nothing was sent.');
  if (exact) return t('The checksum taken when it was sent matches: this is what was sent.');
  return t(
    'The checksum taken when it was sent does not match what is rebuilt here: another version of Palimpsest sent it, or the session’s file was redacted or damaged.',
  );
}
