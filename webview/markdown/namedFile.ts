/**
 * Files named in an answer: in code (`src/retry.ts:42`), as links without a scheme (`[retry](src/retry.ts#L42)`), and as
 * links with the scheme `file:`.
 * Pure.
 */

export interface NamedFile {
  readonly path: string;
  /** From 1. */
  readonly line?: number;
}

/** Extensions by which a name without folders counts as a file: `retry.ts` is a file, `console.log` is not. */
const ENDINGS = new Set(
  (
    'ts tsx mts cts js jsx mjs cjs json jsonc json5 jsonl md mdx txt py pyi ipynb rs go java kt kts c h cc cpp hpp cs rb php swift ' +
    'scala sh bash zsh ps1 css scss less html htm vue svelte yml yaml toml ini cfg conf lock xml svg sql proto graphql csv tf gradle'
  ).split(' '),
);
/** Also as Windows and its programs write them: `C:\`, `/c:/`, `\\server\`, `\\?\C:\`. */
const PATH =
  /^(?:~|\.{0,2}\/|\/?[a-zA-Z]:[\\/]|\\\\(?:\?\\)?(?:[a-zA-Z]:\\)?|\/\/\?\/(?:[a-zA-Z]:\/)?)?(?:[\p{L}\p{N}\p{M}\p{Join_Control}_@.+()[\]-]+[\\/])*[\p{L}\p{N}\p{M}\p{Join_Control}_@.+()[\]-]*\.([A-Za-z]\w{0,9})$/u;
const LINE = /(?::(\d{1,7})(?:[-:]\d{1,7})?|#L(\d{1,7})(?:-L?\d{1,7})?)$/;
/** Maximum length of a possible file name, because the patterns backtrack. */
const LONGEST = 400;

/** Null for code that is not a file name. */
export function fileInCode(code: string): NamedFile | null {
  if (code.length > LONGEST) return null;
  if (/^file:\/\//i.test(code)) return fileOfLink(code);
  const file = splitLine(code);
  const name = file.path.slice(Math.max(file.path.lastIndexOf('/'), file.path.lastIndexOf('\\')) + 1);
  const folders = file.path.slice(0, -name.length);
  const [found, ending = ''] = PATH.exec(file.path.replace(/(?<=[^\s/\\]) (?=[^\s/\\-])/g, '_')) ?? [];
  if (found === undefined) return null;
  const isKnown = ENDINGS.has(ending.toLowerCase());
  // With a blank it may be a program and what it is given.
  if (file.path.includes(' ')) return isKnown && folders !== '' && !isCommand(file.path) ? file : null;
  return folders !== '' || isKnown ? file : null;
}

/** First words of command lines that name files. */
const PROGRAMS = new Set(
  (
    'awk bash bat bun bunx c++ cargo cat cc cd chmod chown clang cmake code cp curl deno diff docker dotnet echo env eslint exec export ' +
    'find g++ gcc git go grep gradle head import jest java javac less ln ls make mkdir more mv mvn nano node nodemon npm npx open ' +
    'oxlint perl php pip pip3 playwright pnpm prettier py pytest python python3 require rg rm ruby run rustc sed see sh source ssh ' +
    'stat sudo tail tar test time touch tsc tsx uv vi vim vitest wc wget which xargs yarn zip unzip zsh biome black ruff mypy'
  ).split(' '),
);

/** A line with blanks: it begins with a program, or names several files. */
function isCommand(path: string): boolean {
  const [first = ''] = path.split(/[\s/\\]/u);
  if (PROGRAMS.has(first.toLowerCase()) || /^\.[\\/][^\\/]*$|(?:^|[\\/])s?bin[\\/]|\s(?:\.{1,2}|~)[\\/]/u.test(path))
    return true;
  const others = path.split(' ').slice(0, -1);
  return others.some((word) => ENDINGS.has(/\.([A-Za-z]\w{0,9})$/u.exec(word)?.[1]?.toLowerCase() ?? ''));
}

/** Null for an address, or a place in the answer itself. */
export function fileOfLink(href: string): NamedFile | null {
  if (href === '' || href.startsWith('#') || href.startsWith('//')) return null;
  // `file:///C:/a.ts` names a path of Windows. Another host is no folder of this window.
  const local = /^file:(?:\/\/(?:localhost)?)?(\/[^/].*)$/i.exec(href)?.[1]?.replace(/^\/(?=[a-z](?::|%3a)[\\/])/i, '');
  const file = splitLine(local ?? href);
  if (local === undefined && /^[a-z][a-z\d+.-]+:/i.test(file.path)) return null;
  try {
    return { ...file, path: decodeURIComponent(file.path) };
  } catch {
    // It was not encoded.
    return file;
  }
}

function splitLine(text: string): NamedFile {
  const [suffix, colon, hash] = LINE.exec(text) ?? [];
  if (suffix === undefined) return { path: text };
  return { path: text.slice(0, -suffix.length), line: Math.max(Number(colon ?? hash), 1) };
}

/** File names in the opening line of a code block (`ts title="src/a.ts"`, `ts:src/a.ts`), a comment or a sentence. */
export function filesInText(text: string): string[] {
  const words = text
    .split(/[\s,;{}<>"'`*()]+/)
    .filter((word) => word.length <= LONGEST)
    .map((word) => word.replace(/^(?:\w+[=:])+(?=[\w.~/])/, '').replace(/[:.]+$/, ''));
  return words.flatMap((word) => fileInCode(word)?.path ?? []);
}

/** For a first line that only names the code's file. */
export function fileInComment(code: string): string | null {
  const [line = ''] = code.split('\n', 1);
  if (line.length > LONGEST) return null;
  const inner = /^\s*(?:\/\/|#|--|\/\*|<!--|;|%)\s*(?:file(?:name)?|path)?:?\s*(\S+)\s*(?:\*\/|-->)?\s*$/i.exec(
    line,
  )?.[1];
  return (inner !== undefined && fileInCode(inner)?.path) || null;
}
