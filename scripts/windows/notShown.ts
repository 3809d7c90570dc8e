/**
 * Tests that Wine cannot pass, each with the reason. `npm run test:windows` prints them by their names; any other failure
 * ends it with an error.
 */

/** Each but `slow` is proved in the same Wine, by its name in `proofs.ts`. */
export const REASONS = {
  links: 'Wine makes links that Node does not see as links',
  modes: 'Windows has no modes of files',
  pipes: 'Windows has no pipes among its files',
  open: 'Wine does not delete a file that is open, nor its folder',
  spelling: 'Wine keeps the spelling of a file that is renamed to another case',
  posix: 'it is about paths of POSIX',
  below: 'Windows says of a path through a file that it does not exist',
  git: 'Git is not there under Wine',
  powerShell: 'Wine’s PowerShell does nothing',
  tree: 'Wine’s taskkill ends no tree',
  slow: 'under Wine it takes minutes',
} as const;

export type Reason = keyof typeof REASONS;

export interface NotShown {
  readonly file: RegExp;
  /** Of names; without it, all of the file. */
  readonly tests?: RegExp;
  readonly why: Reason;
  /** Not even begun: it would go on beside the tests behind it. */
  readonly idle?: true;
}

export const NOT_SHOWN: readonly NotShown[] = [
  { file: /onDisk/, tests: /come back, as programs too|a deleted program can be run again/, why: 'modes' },
  { file: /onDisk/, tests: /the person’s git/, why: 'git' },
  { file: /workspaceFiles/, tests: /mode of a file|with its mode/, why: 'modes' },
  { file: /workspaceFiles/, tests: /\bpipes?\b/, why: 'pipes' },
  { file: /workspaceFiles/, tests: /swapped for a link|becomes a link behind/, why: 'links', idle: true },
  { file: /workspaceFiles/, tests: /link|place|by any name of the file/, why: 'links' },
  {
    file: /workspaceFiles/,
    tests: /a path that the system does not take/,
    why: 'posix',
  },
  { file: /pathGuard/, tests: /link|dangling|circle|"data"|where it leads/, why: 'links' },
  { file: /pathGuard/, tests: /"src\\\\a.ts"/, why: 'posix' },
  { file: /pathGuard/, tests: /"src\/a.ts\/x"/, why: 'below' },
  { file: /pathGuard/, tests: /every one is refused by every call/, why: 'slow', idle: true },
  { file: /nativePaths/, tests: /link stays a link/, why: 'links' },
  { file: /nativePaths/, tests: /spelled anew/, why: 'spelling' },
  { file: /nativePaths/, tests: /a path of the editor’s is mentioned/, why: 'links' },
  { file: /sessionStore/, tests: /storage path/, why: 'posix' },
  { file: /sessionStore/, tests: /deleted/, why: 'open' },
  {
    file: /sessionAccess|drafts\/drafts|journalIndex/,
    tests: /is deleted while it is open|comes along|turns out damaged/,
    why: 'open',
  },
  { file: /openJournal/, tests: /not allowed|may not write/, why: 'modes' },
  { file: /importFile/, tests: /an archive that was cut off/, why: 'slow', idle: true },
  {
    file: /onWindows/,
    tests: /stop ends all/,
    why: 'tree',
  },
  { file: /onWindows/, tests: /are listed with their parents|PowerShell 5/, why: 'powerShell' },
];

/** The line that names this test. */
export function findNotShown(file: string, name: string): NotShown | undefined {
  return NOT_SHOWN.find((each) => each.file.test(file) && (each.tests?.test(name) ?? true));
}
