/** The part of `.gitignore` that a search without ripgrep respects, and the globs of `search_text`. Pure. */

export interface IgnoreRule {
  readonly matches: RegExp;
  readonly foldersOnly: boolean;
  readonly negated: boolean;
}

/** `text` is a `.gitignore`; the rules apply to paths relative to its folder. */
export function parseIgnoreRules(text: string): IgnoreRule[] {
  return text.split(/\r?\n/u).flatMap((line): IgnoreRule[] => {
    const trimmed = line.replace(/(?<!\\)\s+$/u, '');
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    const negated = trimmed.startsWith('!');
    const pattern = negated ? trimmed.slice(1) : trimmed;
    const foldersOnly = pattern.endsWith('/');
    return [{ matches: globToRegExp(foldersOnly ? pattern.slice(0, -1) : pattern), foldersOnly, negated }];
  });
}

/** The last rule that matches decides. `path` is relative to the rules' folder, with forward slashes. */
export function isIgnored(rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean {
  const rule = rules.findLast((candidate) => (isFolder || !candidate.foldersOnly) && candidate.matches.test(path));
  return rule !== undefined && !rule.negated;
}

/** A glob with a slash in it counts from the top, one without matches a name at any depth. */
export function globToRegExp(glob: string): RegExp {
  const anchored = glob.replace(/\/$/u, '').includes('/');
  const body = glob
    .replace(/^\//u, '')
    .replace(/\*\*\/|\/\*\*$|\*\*|\*|\?|\{[^{}]*\}|\[!?[^\]/]+\]|\\?./gsu, (part) => {
      if (part === '**/') return '(?:.*/)?';
      if (part === '/**') return '/.*';
      if (part === '**') return '.*';
      if (part === '*') return '[^/]*';
      if (part === '?') return '[^/]';
      if (part.startsWith('{') && part.length > 1) {
        return `(?:${part
          .slice(1, -1)
          .split(',')
          .map((choice) => choice.split('*').map(quoteForRegExp).join('[^/]*'))
          .join('|')})`;
      }
      if (part.startsWith('[') && part.length > 1) {
        const negated = part.startsWith('[!');
        return `[${negated ? '^' : ''}${part.slice(negated ? 2 : 1, -1).replace(/[\\^[\]]/gu, '\\$&')}]`;
      }
      return quoteForRegExp(part.startsWith('\\') ? part.slice(1) : part);
    });
  return new RegExp(`${anchored ? '^' : '(?:^|/)'}${body}$`, 'su');
}

function quoteForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}
