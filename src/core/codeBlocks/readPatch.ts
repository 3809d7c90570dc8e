/** Reads a code block that is a diff. Line numbers are not used, because models guess them. */

interface Hunk {
  readonly before: string;
  readonly after: string;
}

const HEADER = /^(?:diff |index |--- |\+\+\+ |new file |deleted file |similarity |rename |\\ )/;

export function isPatch(block: string, language: string): boolean {
  if (!/^(?:diff|patch)$/i.test(language) && !/^@@ .*@@/m.test(block)) return false;
  return /^[+-]/m.test(block);
}

/**
 * A block that is a diff: for each hunk, the text to replace and its replacement. Line numbers are not used, because
 * models guess them.
 */
export function readPatch(block: string): Hunk[] {
  const hunks: { before: string[]; after: string[] }[] = [];
  let hunk: { before: string[]; after: string[] } | null = null;
  const lines = block.split(/\r?\n/);
  for (const line of lines.slice(0, lines.findLastIndex((each) => each !== '') + 1)) {
    if (line.startsWith('@@')) {
      hunk = null;
      continue;
    }
    if (HEADER.test(line) && (hunk === null || /^(?:diff |index |\\ )/.test(line))) continue;
    if (hunk === null) {
      hunk = { before: [], after: [] };
      hunks.push(hunk);
    }
    const text = line.slice(1);
    if (line.startsWith('-')) hunk.before.push(text);
    else if (line.startsWith('+')) hunk.after.push(text);
    else for (const side of [hunk.before, hunk.after]) side.push(line.startsWith(' ') ? text : line);
  }
  return hunks.map(({ before, after }) => ({ before: before.join('\n'), after: after.join('\n') }));
}
