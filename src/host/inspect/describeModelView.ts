/** What the model saw, as plain text for an editor: an index of the parts, then each part word for word. Pure. */

import type { ModelView } from '../../core/context/modelView.ts';
import type { Translate } from '../../core/words.ts';
import { alignTable, formatCount, formatShare } from './textTable.ts';

const RULE = '─'.repeat(72);

/** `title` names the request; `facts` are further lines about it, such as what the provider reported. */
export function describeModelView(title: string, facts: readonly string[], view: ModelView, t: Translate): string {
  const { parts, tokens, exact } = view;
  const index = parts.map((part, at) => [
    String(at + 1),
    part.role,
    formatCount(part.tokens),
    formatShare(part.tokens, tokens),
    part.origin,
  ]);
  const lines = [
    title,
    '',
    t('{0} tokens by our own count, in {1} parts.', formatCount(tokens), parts.length),
    ...facts,
    describeExactness(exact, t),
    '',
    ...alignTable(
      [
        { title: t('Part'), align: 'right' },
        { title: t('Role') },
        { title: t('Tokens'), align: 'right' },
        { title: t('Share'), align: 'right' },
        { title: t('Origin') },
      ],
      index,
    ),
    ...parts.flatMap(({ role, origin, tokens: own, text }, at) => [
      '',
      RULE,
      `${t('{0} of {1}', at + 1, parts.length)} · ${role} · ${origin} · ${t('{0} tokens', formatCount(own))}`,
      RULE,
      '',
      text,
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function describeExactness(exact: boolean | null, t: Translate): string {
  if (exact === null) return t('This is the request that would be made now; nothing was sent.');
  if (exact) return t('The checksum recorded when it was sent fits: this is what was sent.');
  return t(
    'The checksum recorded when it was sent does not fit what is rebuilt here: another version of Palimpsest sent it, or the journal was redacted or damaged.',
  );
}
