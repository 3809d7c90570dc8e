/**
 * The names that models know from other programs for the same argument. Each row is one argument, headed by its
 * plainest name; a name may stand in several, and then the schema decides which is meant.
 */

const ROWS = [
  'path filepath filename file absolutepath relativepath fullpath targetfile relativeworkspacepath inputpath ' +
    'notebookpath directory directorypath dir dirpath folder folderpath source src sourcepath from oldpath ' +
    'paths filepaths files filenames',
  'paths path filepaths filepath files file filenames filename directories directory folders folder',
  'newpath destination destinationpath dest dst to target targetpath newname newfilename newfilepath',
  'command cmd commandline shellcommand script',
  'cwd workdir workingdir workingdirectory directory dir folder',
  'content contents text filetext filecontent filecontents body newcontent data',
  'oldstring oldstr oldtext old search searchtext find original',
  'newstring newstr newtext new replace replacement replacewith replacetext updated',
  'replaceall all allowmultiple global',
  'edits changes replacements modifications',
  'pattern query regexp searchterm searchpattern searchquery searchstring text term q needle keyword keywords',
  'glob pattern globpattern filepattern include includes includepattern fileglob query',
  'limit count maxresults maxcount max maxlines numlines numberoflines linecount headlimit maxentries numresults',
  'depth maxdepth levels',
  'startline linestart fromline firstline linefrom startlinenumber startlineoneindexed lineoffset',
  'endline lineend toline lastline lineto endlinenumber endlineoneindexed',
  'line linenumber row',
  'url uri link href address',
  'question prompt query message text',
  'prompt task instructions instruction message request query',
  'title description summary heading',
  'background isbackground runinbackground',
  'id taskid shellid bashid commandid processid terminalid sessionid',
  'waitseconds wait waitsec',
  'timeoutseconds timeoutsec timeoutsecs timeoutins',
  'todos todolist items tasks list todo',
  'text content task title description',
  'state status',
  'symbol symbolname identifier name',
  'name skill skillname',
  'agent agentname subagent subagenttype agenttype',
  'plan text content',
  'options choices answers',
  'label text value title',
].map((row) => row.split(' '));

/** The rows that a name stands in, and those that it heads. */
const ROWS_OF = new Map<string, Set<number>>();
const HEADED = new Map<string, Set<number>>();
for (const [index, row] of ROWS.entries()) {
  for (const name of row) ROWS_OF.set(name, (ROWS_OF.get(name) ?? new Set()).add(index));
  const [head = ''] = row;
  HEADED.set(head, (HEADED.get(head) ?? new Set()).add(index));
}

/** Without writing: `filePath`, `file_path` and `File-Path` are the same. */
export const plainName = (name: string): string => name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** `other` may name the argument that a schema calls `own`. A name that heads rows means no other ones. */
export function isAlias(other: string, own: string): boolean {
  const [wanted, given] = [plainName(own), plainName(other)];
  if (given !== '' && singular(wanted) === singular(given)) return true;
  const rows = HEADED.get(wanted) ?? ROWS_OF.get(wanted);
  const others = ROWS_OF.get(given);
  if (!rows || !others) return false;
  for (const row of rows) if (others.has(row)) return true;
  return false;
}

/** A list of one is often named as its element, and the other way round. */
const singular = (name: string): string => name.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '');

const PLACES: ReadonlySet<string> = new Set(['path', 'newpath', 'cwd']);

/** The argument is a path, or a list of paths. */
export const isPlace = (name: string): boolean => [...PLACES].some((place) => isAlias(name, place));

/** Fields that say something about the call and nothing about what it does. */
const COMMENTS: ReadonlySet<string> = new Set(
  (
    'description explanation reason reasoning rationale thought thoughts thinking intent purpose justification comment ' +
    'comments note notes summary title goal safetoautorun requiresapproval securityrisk risk taskprogress ' +
    'toolcallid callid toolname toolsummary toolaction waitforprevioustools timeout timeoutms'
  ).split(' '),
);

export const isComment = (name: string): boolean => COMMENTS.has(plainName(name));
