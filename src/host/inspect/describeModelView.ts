/** What the model saw, as plain text for an editor: an index of the parts, then each part word for word. Pure. */

import type { ModelView } from '../../core/compaction/modelView.ts';
import { alignTable, formatCount, formatShare } from './textTable.ts';

const RULE = '─'.repeat(72);

/** `title` names the request; `facts` are further lines about it, such as what the provider reported. */
export function describeModelView(title: string, facts: readonly string[], view: ModelView): string {
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
    `${formatCount(tokens)} tokens by our own count, in ${parts.length} parts.`,
    ...facts,
    ...describeExactness(exact),
    '',
    ...alignTable(
      [
        { title: 'Part', align: 'right' },
        { title: 'Role' },
        { title: 'Tokens', align: 'right' },
        { title: 'Share', align: 'right' },
        { title: 'Origin' },
      ],
      index,
    ),
    ...parts.flatMap(({ role, origin, tokens: own, text }, at) => [
      '',
      RULE,
      `${at + 1} of ${parts.length} · ${role} · ${origin} · ${formatCount(own)} tokens`,
      RULE,
      '',
      text,
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function describeExactness(exact: boolean | null): string[] {
  if (exact === null) return ['This is the request that would be made now; nothing was sent.'];
  if (exact) return ['The checksum recorded when it was sent fits: this is what was sent.'];
  return [
    'The checksum recorded when it was sent does not fit what is rebuilt here: another version of Palimpsest sent it, or the journal was redacted or damaged.',
  ];
}
