/**
 * C2: the rule table of selective compaction. Each kind of item has a priority (lowest goes first) and what happens to
 * it; as a setting it is a flat object of short texts such as `10 truncate 5`.
 */

export type Rule =
  | { readonly kind: string; readonly priority: number; readonly action: 'none' | 'drop' }
  | { readonly kind: string; readonly priority: number; readonly action: 'truncate'; readonly keep: number };

export const RULE_PATTERN = /^(\d{1,3}) (?:(none|drop)|truncate (\d{1,4}))$/;

export const DEFAULT_RULES: Readonly<Record<string, string>> = {
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

/** In the order in which they are applied. A rule that cannot be read is as good as none: nothing goes by mistake. */
export function readRules(table: Readonly<Record<string, unknown>>): readonly Rule[] {
  const rules: Rule[] = [];
  for (const [kind, text] of Object.entries({ ...DEFAULT_RULES, ...table })) {
    const match = RULE_PATTERN.exec(String(text));
    if (!match) continue;
    const priority = Number(match[1]);
    if (match[3] !== undefined) rules.push({ kind, priority, action: 'truncate', keep: Number(match[3]) });
    else rules.push({ kind, priority, action: match[2] as 'none' | 'drop' });
  }
  return rules.toSorted((a, b) => a.priority - b.priority);
}
