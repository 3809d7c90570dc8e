/**
 * The rule table of selective compaction. Each kind of item has a priority (lowest goes first) and an action; as a
 * setting it is a flat object of short texts such as `10 truncate 5`.
 */

import * as z from 'zod';
import { setting } from '../../setting.ts';
import { words } from '../../words.ts';

export type Rule =
  | { readonly kind: string; readonly priority: number; readonly action: 'none' | 'drop' }
  | { readonly kind: string; readonly priority: number; readonly action: 'truncate'; readonly keep: number };

const RULE_PATTERN = /^(\d{1,3}) (?:(none|drop)|truncate (\d{1,4}))$/;

const NEVER_COMPACTED = ['systemPrompt', 'memory'];

const BY_DEFAULT: Readonly<Record<string, string>> = {
  toolResult: '10 truncate 5',
  skillPrompt: '20 drop',
  assistant: '30 truncate 5',
  skillMetadata: '40 drop',
  user: '50 truncate 5',
  summary: '80 none',
  reminder: '90 none',
  systemPrompt: '100 none',
  memory: '100 none',
};

/** Defaults for kinds that the table may omit. */
const ELSE: Readonly<Record<string, string>> = { mention: '15 truncate 5' };

const KINDS = Object.keys({ ...BY_DEFAULT, ...ELSE });

const HEADER_STAYS = words('The system prompt and memory are never compacted: their rule can only be none.');

const table = z.record(z.string(), z.string().regex(RULE_PATTERN)).superRefine((rules, context) => {
  for (const [kind, rule] of Object.entries(rules)) {
    const reason = !KINDS.includes(kind)
      ? words('There is no kind of message {0}. There are: {1}.', kind, KINDS.join(', '))
      : NEVER_COMPACTED.includes(kind) && !rule.endsWith('none')
        ? HEADER_STAYS
        : null;
    if (reason) context.addIssue({ code: 'custom', path: [kind], params: { reason } });
  }
});

export const RULES = setting(
  table,
  BY_DEFAULT,
  'What happens to each kind of message, lowest number first: `none`, `drop`, or `truncate` and how many of the newest stay. The system prompt and memory are never compacted, so their rule can only be `none`. An entry with another kind or another form is named and left out, and the default of its kind applies. Mentions go as `mention` by `15 truncate 5`, unless the table names them. Where it stops is `#palimpsest.compaction.selective.stopAt#`.',
  { patternHint: 'Give a priority and what to do, for example `10 truncate 5`, `20 drop` or `80 none`.' },
);

/** In the order of application. An unreadable rule is ignored: nothing is removed by mistake. */
export function readRules(table: Readonly<Record<string, unknown>>): readonly Rule[] {
  const rules: Rule[] = [];
  for (const [kind, text] of Object.entries({ ...ELSE, ...RULES.default, ...table })) {
    const match = RULE_PATTERN.exec(String(text));
    if (!match) continue;
    const priority = Number(match[1]);
    if (match[3] !== undefined) rules.push({ kind, priority, action: 'truncate', keep: Number(match[3]) });
    else rules.push({ kind, priority, action: match[2] as 'none' | 'drop' });
  }
  return rules.toSorted((a, b) => a.priority - b.priority);
}
