/** The part of `.gitignore` that a search without ripgrep respects. Pure. */

import { matchGlob } from './matchGlob.ts';

export interface IgnoreRule {
  readonly glob: string;
  readonly foldersOnly: boolean;
  readonly negated: boolean;
}

/** `text` is a `.gitignore`; the rules apply to paths relative to its folder. */
export function parseIgnoreRules(text: string): IgnoreRule[] {
  return text.split(/\r?\n/u).flatMap((line): IgnoreRule[] => {
    const trimmed = line.trimEnd();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    const negated = trimmed.startsWith('!');
    const pattern = negated ? trimmed.slice(1) : trimmed;
    const foldersOnly = pattern.endsWith('/');
    return [{ glob: foldersOnly ? pattern.slice(0, -1) : pattern, foldersOnly, negated }];
  });
}

/** The last rule that matches decides. `path` is relative to the rules' folder, with forward slashes. */
export function isIgnored(rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean {
  const rule = rules.findLast((candidate) => (isFolder || !candidate.foldersOnly) && matchGlob(candidate.glob, path));
  return rule !== undefined && !rule.negated;
}
