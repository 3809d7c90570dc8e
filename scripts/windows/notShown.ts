/**
 * Tests that Wine cannot pass, each with the reason. `npm run test:windows` prints them by their names; any other failure
 * ends it with an error.
 */

interface NotShown {
  readonly file: RegExp;
  /** Of names; without it, all of the file. */
  readonly tests?: RegExp;
  readonly why: string;
  /** Not even begun: it would go on beside the tests behind it. */
  readonly idle?: true;
}

const LINKS = 'Wine makes links that Node does not see as links';
const MODES = 'Windows has no modes of files';
const PIPES = 'Windows has no pipes among its files';
const OPEN = 'Windows does not delete a file that is open, nor its folder';
const CASE = 'Wine keeps the spelling of a file that is renamed to another case';
const PATHS = 'it is about paths of POSIX';

const NOT_SHOWN: readonly NotShown[] = [
  { file: /onDisk/, tests: /come back, as programs too|a deleted program can be run again/, why: MODES },
  { file: /onDisk/, tests: /the person’s git/, why: 'Git is not there under Wine' },
  { file: /workspaceFiles/, tests: /mode of a file|with its mode/, why: MODES },
  { file: /workspaceFiles/, tests: /\bpipes?\b/, why: PIPES },
  { file: /workspaceFiles/, tests: /swapped for a link|becomes a link behind/, why: LINKS, idle: true },
  { file: /workspaceFiles/, tests: /link|place|by any name of the file/, why: LINKS },
  {
    file: /workspaceFiles/,
    tests: /a path that the system does not take/,
    why: 'Wine takes longer names than Windows',
  },
  { file: /pathGuard/, tests: /link|dangling|circle|"data"|where it leads/, why: LINKS },
  { file: /pathGuard/, tests: /"src\\\\a.ts"/, why: 'on Windows it names src/a.ts' },
  { file: /pathGuard/, tests: /"src\/a.ts\/x"/, why: 'Windows says of it that it does not exist' },
  { file: /pathGuard/, tests: /every one is refused by every call/, why: 'under Wine it takes minutes', idle: true },
  { file: /nativePaths/, tests: /link stays a link/, why: LINKS },
  { file: /nativePaths/, tests: /spelled anew/, why: CASE },
  { file: /nativePaths/, tests: /a path of the editor’s is mentioned/, why: PATHS },
  { file: /sessionStore/, tests: /storage path/, why: PATHS },
  { file: /sessionStore/, tests: /deleted/, why: OPEN },
  {
    file: /sessionAccess|drafts\/drafts|journalIndex/,
    tests: /is deleted while it is open|comes along|turns out damaged/,
    why: OPEN,
  },
  { file: /openJournal/, tests: /not allowed|may not write/, why: MODES },
  { file: /importFile/, tests: /an archive that was cut off/, why: 'under Wine it takes minutes', idle: true },
  {
    file: /onWindows/,
    tests: /stop ends all/,
    why: 'Wine’s taskkill ends no tree, and its PowerShell lists no processes',
  },
  { file: /onWindows/, tests: /are listed with their parents/, why: 'Wine’s PowerShell does nothing' },
];

/** The line that names this test. */
export function findNotShown(file: string, name: string): NotShown | undefined {
  return NOT_SHOWN.find((each) => each.file.test(file) && (each.tests?.test(name) ?? true));
}
