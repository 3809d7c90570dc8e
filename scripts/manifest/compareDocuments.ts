/** Compares a document with its translation by all that is the same in every language: its headings, lists, tables, links and code. */

/** Differences, each in words that complete "they differ in …"; the English count or text first. */
export function compareDocuments(english: string, translated: string): readonly string[] {
  const [ours, theirs] = [partsOf(english), partsOf(translated)];
  return Object.entries(ours).flatMap(([kind, parts]) => {
    const others = theirs[kind] ?? [];
    const [missing, more] = [without(parts, others), without(others, parts)];
    return [
      ...missing.map((part) => `${kind}: only the first has ${part}`),
      ...more.map((part) => `${kind}: only the second has ${part}`),
    ];
  });
}

/** Sorted by kind; how many parts there are counts, and not where they stand. */
function partsOf(text: string): Readonly<Record<string, readonly string[]>> {
  const prose = text.replace(/<!--.*?-->/gs, '').replace(/^```.*?^```$/gms, '');
  const count = (pattern: RegExp) => [`${prose.match(pattern)?.length ?? 0}`];
  return {
    headings: count(/^#+ /gm),
    'items of lists': count(/^(?:-|\d+\.) /gm),
    'rows of tables': count(/^\| /gm),
    links: [...prose.matchAll(/\]\(([^)]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^README(?:\.[\w-]+)?\.md$/.test(target)),
    code: [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code),
    'blocks of code': [...text.matchAll(/^```.*?^```$/gms)].map(([block]) => block),
  };
}

function without(parts: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return parts.filter((part) => {
    const at = left.indexOf(part);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
