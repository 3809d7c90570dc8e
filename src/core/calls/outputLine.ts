/**
 * Tells what a line of a failed command's output is: a message, and how surely it says what went wrong; a bare line that
 * says only that something failed; a place in a file; a line that is about something else. Each line is judged alone.
 */

export type OutputLine =
  /** Says what went wrong; `sure` is from 1 (speaks of an error) to 9 (can be nothing else). */
  | { readonly kind: 'message'; readonly text: string; readonly sure: number }
  /** Says only that something failed, how often, or how a wrapper ended. */
  | { readonly kind: 'bare'; readonly text: string }
  /** Names a kind of error or a part of a report whose words are on the next lines. */
  | { readonly kind: 'label'; readonly text: string }
  /** Only a place, such as a line of a stack trace. `path:line:column`, as far as it says them; empty for a library's. */
  | { readonly kind: 'place'; readonly place: string }
  /** Of a test that passed, of a log below errors, of code that is shown. */
  | { readonly kind: 'quiet' }
  | { readonly kind: 'other'; readonly text: string }
  | { readonly kind: 'blank' };

/** Longer lines are data: their beginning is enough. */
const LONGEST_LINE = 600;

const MARKS = /^(?:[│┃|×✕✖✗✘●❯▶•⨯!→]|\^(?= )|\d{1,4}\)(?= )|[*>-](?= )|->)[\s─━]*/;

/** Prefixes that a runner of many packages, a log or a container puts before the lines of others. */
const PREFIXES = [
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,:Z+-]*\s+/,
  /^##\[error\]\s*/,
  /^#\d{1,4} \d+\.\d+ /,
  /^@?[\w./@-]{2,60} (?:build|test|lint|check|typecheck|type-check|compile|dev|start|ci)(?::[\w-]+)?: /,
  /^[\w./@-]{2,40}:(?:build|test|lint|check|typecheck|type-check|compile):\s/,
  /^\[[\w:./@ -]{1,40}\]\s+(?=\S)/,
  /^npm (?:ERR!|error) ?/,
];

const PASSED = [
  /^(?:[✓✔√☑✅]|\(pass\)|=== (?:RUN|PAUSE|CONT|NAME)\b|--- (?:PASS|SKIP)\b)/,
  /^(?:ok|pass|passed|skip(?:ped)?|done|success)\b[\s:]/i,
  /(?:\.\.\.|^\S+)\s+(?:ok|passed|pass|skipped|ignored)(?:\s+\(?[\d.]+\s*m?s\)?)?$/i,
  /\s(?:PASSED|SKIPPED|XFAIL|SUCCESS)(?:\s+\[\s*\d+%\])?(?:\s+\([\d.,]+ ?m?s\))?$/,
];

const BELOW_ERRORS = [
  /^.{0,60}\[\s*(?:info|debug|trace|notice|verbose|warn|warning)\s*\]/i,
  /^.{0,60}\b(?:INFO|DEBUG|TRACE|NOTICE|VERBOSE|WARN|WARNING)\b/,
  /^(?:info|debug|trace|notice|verbose|warn|warning|note|hint|help|tip)\b\s*(?:[:!]|- )/i,
  /^(?:info|notice|warn)\s{1,8}(?![a-z])/,
  /\blevel=(?:info|debug|trace|warn)|"level":\s?"?(?:info|debug|trace|warn|[1-4]0)\b/i,
  /^npm (?:warn|notice)\b/i,
  /^\S{1,200}[:(]\d+[,:)\d]*:?\s*(?:-\s+)?(?:warning|note|info|hint)\b/i,
  /^\d+:\d+\s+(?:warning|warn|info)\b/,
  /\b(?:Deprecation|Experimental|Runtime|User|Future|Pending\w*)Warning\b/,
  /^(?:stdout|stderr) \| /,
];

/** Code, a command that is echoed, a gutter, a list of files that changed. */
const SHOWN = [
  /^(?:\$|\+|>>?) \S/,
  /^[→>]?\s*\d+\s*(?:\d+\s*)?[│|]/,
  /^\|(?:\s|$)/,
  /^[\s^~‾─━═⎯=_*#+.╷╵-]{1,}$/,
  /^[\^~|\s-]+$/,
  /^(?!expected|actual|received|got|left|right|want|have)\w+: (?:true|false|null|undefined|-?[\d.]+|\[|\{)?,?$/i,
  /^-- \S/,
  /^(?:modified|new file|deleted|renamed|copied):\s/,
  /^(?:Compiling|Checking|Downloading|Downloaded|Installing|Building|Linking|Generating|Running|Starting|Updating|Finished|Auto-merging|Rebasing)\s\S+(?:\s+v?[\d.]+.*)?$/,
  /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|javac|rustc|tsc|ar|ld)\s+-/,
  /^\S+\s+\|\s+\d+\s+[+-]*$/,
  /^(?:[MADRCU?]{1,2}|[-+]{3})\s+\S+$/,
  /^# (?!\S+:\d)\S+/,
  /^(?:Node\.js|Bun|bun test) v\d/,
  // Words of a program above or below the output of a command that it ran.
  /^(?:(?:process |command )?exited with (?:exit )?code|exit code):? -?\d+(?: \(.*\))?$|^\(no output\)$|^(?:chunk id|wall time|original token count|total output lines|stdout|stderr|output|exit status): ?\S*(?: seconds)?$/i,
  /^\d+ \| /,
];

const PATH = String.raw`(?:[A-Za-z]:)?[^\s:()"'<>|=,;]{1,200}\.[A-Za-z]\w{0,9}`;
/** `path:12:5`, `path(12,5)`, `path, line 12`, `path:line 12`. */
const AT = String.raw`(${PATH})(?::line |, line |"?, line | line |:| ?\()(\d{1,7})(?:[:,](\d{1,6}))?\)?`;

const ERROR_NAME = String.raw`(?:[\w$]+(?:[.\\/]|::|: )){0,8}?[\w$]*(?:Error|Exception|Failure|Failed|Panic|Fault|Interrupt|Timeout|NotFound)`;
/** With a code or a number behind it: `TypeError [ERR_X]`, `error TS2345`, `error[E0308]`, `Error: Error code 1`. */
const CODE = String.raw`(?:\s?\[[^\]\s]{1,40}\]|\s?\([^)\n]{1,40}\)|\s[A-Z]{1,6}-?\d{1,6})?`;

const BARE_ERROR = new RegExp(
  `^(?:uncaught )?(?:${ERROR_NAME}|error|fatal|panic|exception|failure)s?${CODE}\\s*[:.!]*$`,
  'i',
);

const LABEL = new RegExp(
  `^[\\w$.-]{1,60}: ${AT}$|^error\\b[^:'"]{3,60}:$|panicked at \\S+:\\d+:\\d+:?$|^(?:(?:uncaught )?${ERROR_NAME}${CODE}:|(?:error(?: message)?|failure|fatal|message|reason|what went wrong|caused by|details)\\s*:(?:\\s*[|>][+-]?)?)$`,
  'i',
);

/** A failed test, file or package by its name alone; a wrapper that repeats how its command ended. */
const BARE = [
  /^(?:--- )?FAIL(?:ED|URE|URES|S)?\b(?:[:!]?\s+(?!.* - )\S.*|[!.:]*$)/,
  /^(?:FAIL|ERROR|FAILED): \w+ \([\w.]+\)/,
  /^(?:not ok\b|\(fail\))/,
  /^Failed\s+\S+(?:\(.*\))?\s+\[[<\d]/,
  /(?:\.\.\.|\))\s+FAILED(?:\s+\([\d.,]+ ?m?s\))?$/,
  /^(?:> )?Task :\S+ FAILED/,
  /^\S+\s+FAILED(?:\s+\[\s*\d+%\])?$/,
  /^Traceback \(most recent call last\)/,
  /^(?:g?make|ninja|mingw32-make)(?:\[\d+\])?: (?:\*\*\* \[|Target |Leaving |Entering |\*\*\* Waiting).*/,
  /\b(?:exited with|exit(?:ed)?(?: with)?(?: an?)?(?: error)? (?:code|status)|failed with (?:exit code|error:?|code)|returned (?:a )?(?:non-zero|exit|\d+ exit)|exit status)(?: (?:code|status|exit code))?:?(?: -?\d+)?[.)]?$/i,
  /^(?:command (?:failed|sh)|lifecycle script|code \d|code ELIFECYCLE|errno \d|path \S+$|workspace |location |A complete log|Test failed\b|This is probably not)/i,
  /^(?:the )?(?:error:? )?(?:task|command|script|build|tests?|job|step|process|compilation|recipe|lint|check|some (?:errors|tests|checks)|there (?:was|were)|test run|failing tests?|failures?|tests? failed)\b[^:'"`]{0,70}\b(?:failed|failing|failures?|exited|errored|emitted|errors?|terminated)\b[^:'"`]{0,60}[.:!]?$/i,
  /^(?:FAILURE: )?Build (?:failed|completed unsuccessfully)\b/i,
  /^BUILD (?:FAILED|FAILURE)\b/,
  /^Execution failed for task\b|^Compilation failed; see\b|^There were failing tests\b|^Failed to execute goal\b|^There are test failures|^Failed to compile\.?$/,
  /^error: (?:could not compile|aborting due to|test failed, to rerun|doctest failed, to rerun|\d+ targets? failed|process didn't exit)/,
  /^(?:collect2|clang|g\+\+|gcc): .*\b(?:ld returned|linker command failed)/,
  /^error: (?:found \d+ errors?|script ".*" (?:exited|was terminated))/,
  /^(?:too many errors|Failed Tests?|Failed Suites?|Failures|Errors?|Test suite failed to run|Unhandled Errors?|failing tests|FAILURES!|Console|Short test summary info|ERRORS!)\b[\s\d:!]*$/i,
  /^Sibling tool call errored$/,
  /^\d+:\d+: too many errors/,
];

/** Words of a line that only counts. */
const COUNTED =
  /\b(?:failed|failing|passed|passing|pending|skipped|todo|total|tests?|tests? ?files?|files?|snapshots?|suites?|specs?|examples?|assertions?|failures?|fail|pass|errors?|error\(s\)|warnings?|warning\(s\)|problems?|issues?|found|ran|in|and|of|finished|result|results|ignored|measured|filtered|out|across|build|duration|completed|generated|previous|due|to|aborting|time|elapsed|seconds?|minutes?|started|start|at|potentially|fixable|with|the|option|fix|fixed|expect|calls|incomplete|risky|deselected|xfailed|xpassed|subtests?|cancelled|no|none|were|was|checked|modules?|succeeded|up-to-date|actionable|tasks?|executed|tests run|collected|collectors?|source|sources|line|lines|statements?|branches|functions|covered|ms|s|dll|net|info|infos|hidden|could|could not compile|error|bail|not|run|unhandled)\b/gi;
const FEWEST_LETTERS = 4;

const isCount = (text: string): boolean =>
  /\d/.test(text) &&
  text.length < 200 &&
  /\b(?:failed|failing|failures?|fail|errors?|passed|tests?|problems?|issues?|warnings?|assertions?|examples?|snapshots?)\b/i.test(
    text,
  ) &&
  (/^\*? ?[\w-]+: \d+$/.test(text) ||
    text
      .replace(/- \S+\.dll.*$/g, '')
      .replace(COUNTED, '')
      .replace(/\P{L}/gu, '').length < FEWEST_LETTERS);

/** No error after all. */
const NONE =
  /\b(?:0|no|zero|without(?: any)?) (?:\w+ )?(?:errors?|failures?|failed|exceptions?|problems?)\b|\b(?:errors?|failures?|failed)\s?[:=]\s?0\b/i;

const PLACE = new RegExp(AT);
const PLACE_AT_END = new RegExp(`${AT}$`);
const PLACED = new RegExp(`^(?:file://)?${AT}(?::|\\s-)?\\s+(.*)$`);
const PLACE_ALONE = new RegExp(
  `^(?:at |in |from |❯ |--> |::: |# |#\\d+ )?(?:.{0,200}?[\\s(@/])??\\(?(?:file://|app//)?${AT}[^\\s]{0,3}(?:$|[:\\s)])`,
);
const PYTHON_FRAME = /^File "([^"\n]{1,300})", line (\d{1,7})/;
const FRAME =
  /^(?:at |❯ |--> |::: |# \S+:\d+|#\d+ |File "|from \S+:\d+|goroutine \d|created by |\S+\.go:\d+ \+0x|[io]n \S+\.\w+(?::line \d| on line \d| line \d)|\([\w-]+ \d[\w.+-]*\) \S+:\d+: |\d+: 0x|Error Trace:)/;

const LIBRARY =
  /node_modules|\bnode:|internal[/\\]|site-packages|dist-packages|[/\\]lib[/\\]python|[/\\]usr[/\\](?:lib|local[/\\]go)|[/\\]vendor[/\\]|\.cargo[/\\]registry|[/\\]rustc[/\\]|java\.base|[/\\]gems[/\\]|<(?:frozen|string|stdin)|\[eval\d?\]|src[/\\](?:testing|runtime)[/\\]\w+\.go|\bphar:|[/\\]go[/\\]src[/\\]|\borg\.(?:junit|opentest4j|gradle|hamcrest|assertj|apache\.maven)\.|\b(?:sun|jdk|kotlin|scala)\.\w+\.|\bjava\.(?:base|lang|util)\b/;

const SHELLS = /^(?:\(eval\)|(?:\/\S{0,60}\/)?(?:ba|z|da|k|fi)?sh|powershell|cmd)\b/;

/** Messages that programs write in a form of their own, surest first. */
const MESSAGES: readonly (readonly [sure: number, pattern: RegExp])[] = [
  [7, /^Failure\/Error: \S/],
  [4, /\bcommand failed(?: with exit code -?\d+)?: /i],
  [9, /^Failed asserting that\b/],
  [9, /^\*\* \((?!CompileError)[\w.]+\) \S/],
  [9, /^CONFLICT\b/],
  [
    8,
    new RegExp(
      `^(?:uncaught |unhandled |exception in thread "[^"\\n]{0,60}" |thread '[^'\\n]{0,200}' )?(?:${ERROR_NAME})${CODE}: (?=\\S)`,
      'i',
    ),
  ],
  [8, new RegExp(`^(?:(?:fatal |syntax |parse |compile |PHP )*error|fatal|panic|e)${CODE}(?:: ?| - )(?=\\S)`, 'i')],
  [7, new RegExp(`^${ERROR_NAME} at ${AT}$`)],
  [8, /^error\s{1,4}(?:TS|[A-Z]{1,4})\d+/],
  [8, new RegExp(`^${AT}:?\\s*(?:-\\s+)?(?:fatal |syntax |parse )?error\\b`, 'i')],
  [8, /^\d+:\d+\s+error\s+\S/],
  [8, /^line \d+, col \d+, error - /i],
  [8, /\bpanicked at ['"]/],
  [8, /^(?:assert(?:ion)?\b.*\bfailed\b|Assertion\b)/i],
  [8, /^Assert\.\w+\(\) Failure|^Assert\.\w+ failed\./],
  [8, /^expect\(.{1,200}\)\S*/],
  [8, /^expected\b.{1,300}\b(?:to|but|got|not|received|actual|was|be|have|found)\b/i],
  [8, /^(?:\S{1,200}: )?\(?\.text\S*: undefined reference to|: undefined reference to /],
  [8, /^Traceback: |^Exception: /],
  [7, /^(?:FAILED|ERROR) \S+(?:::\S+)? - \S/],
  [7, /^(?:make|gmake|ninja)(?:\[\d+\])?: \*\*\* (?!\[)/],
  [
    7,
    /^(?:.{0,120}: )?.{0,200}(?:command not found|No such file or directory|Permission denied|no such file or directory: \S|permission denied: ?\S?|not recognized as|no matches found|not found: \S)/,
  ],
  [7, /^(?:\[(?:remote )?rejected\])/],
  [5, /^(?:\[\s*)?(?:ERROR|FATAL|CRITICAL|SEVERE)(?:\s*\])?[\s:]+(?=\S)/],
  [5, /\blevel=(?:error|fatal)\b|"level":\s?"?(?:error|fatal|[56]0)\b/i],
  [5, /^.{0,60}\b(?:ERROR|FATAL|CRITICAL|SEVERE)\b[\s:\]]+(?=\S)/],
];

const PHRASE =
  /\b(?:cannot|can['’]t|could not|couldn['’]t|unable to|failed to|not found|no such|does(?: not|n['’]t) exist|is not (?:a|an|defined|recognized|assignable|installed)|denied|refused|rejected|timed out|unknown|unrecognized|unexpected|invalid|undefined|unmatched|ambiguous|unresolved|mismatch|must (?:be|contain|have)|out of memory|segmentation fault|killed|already exists|not enough|too (?:many|few|small|large)|missing|would (?:be overwritten|have printed)|unused|never used|declared and not used|have conflicts)\b/i;

/** As a word of its own, and not in the name of a file or of something in code. */
const WORD =
  /(?<![\w./\\$#-])(?:errors?|fail(?:ed|s|ure|ures)?|exceptions?|fatal|panic(?:ked)?|crash(?:ed)?|abort(?:ed)?)(?![\w/\\$(=-]|\.\w)/i;

/** `colon`: a program's name and its words. */
const PROGRAM = /^(?:[\w./+\\-]{1,60})(?:\[\d+\])?(?::\s?(?:line )?\d+)?: (?=\S)/;

export function readOutputLine(raw: string): OutputLine {
  const loose = raw
    .slice(0, LONGEST_LINE)
    .replace(/<\/?tool_use_error>/g, '')
    .trim();
  if (loose === '') return { kind: 'blank' };
  if (/^E {2,}\S/.test(loose)) return readAssertion(loose);
  const marked = loose.replace(/\s+/g, ' ');
  if (isPassed(marked)) return { kind: 'quiet' };
  const isMarked = /^[×✕✖✗✘]\s/.test(marked);
  let text = marked.replace(MARKS, '');
  if (text === '' || SHOWN.some((pattern) => pattern.test(marked))) return { kind: 'quiet' };
  for (const prefix of PREFIXES) {
    if (isQuiet(text)) return { kind: 'quiet' };
    text = text.replace(prefix, '');
  }
  text = text.replace(MARKS, '').trim();
  if (text === '' || isQuiet(text) || isPassed(text)) return { kind: 'quiet' };
  if (FRAME.test(text)) return { kind: 'place', place: placeIn(text) };
  if (LABEL.test(text)) return { kind: 'label', text };
  if (isCount(text) && !/[1-9]/.test(text)) return { kind: 'quiet' };
  if (isBare(text)) return { kind: 'bare', text };
  const placed = PLACED.exec(text);
  // A search shows lines of files in this form, too, mostly with the white space before them.
  if (placed && /^\S{1,260}\s{2,}/.test(loose) && !/^\S+\s+(?:error|-)/i.test(loose)) return { kind: 'other', text };
  if (placed) return readPlaced(text, placed);
  const sure = surenessOf(text);
  if (sure > 0 && !(sure < 5 && NONE.test(text)))
    return { kind: 'message', text, sure: isMarked ? Math.max(sure, 6) : sure };
  if (PLACE_ALONE.test(text) && text.length < 200 && !/\s\S+\s\S+\s\S+\s/.test(text))
    return { kind: 'place', place: placeIn(text) };
  return { kind: 'other', text };
}

const isPassed = (text: string): boolean => PASSED.some((pattern) => pattern.test(text));

const QUIET = [...BELOW_ERRORS, ...SHOWN];

const isQuiet = (text: string): boolean => QUIET.some((pattern) => pattern.test(text));

const isBare = (text: string): boolean =>
  BARE_ERROR.test(text) || isCount(text) || BARE.some((pattern) => pattern.test(text));

function readAssertion(text: string): OutputLine {
  const words = text.replace(/^E {2,}/, '');
  return /^[+-] |^(?:\+|\^)/.test(words) ? { kind: 'quiet' } : { kind: 'message', text: words, sure: 9 };
}

/** Of a step of a trace behind its place: `in total`, `0x103c5d2 in total`, `Cart.total/1`, `(test)`. */
const FRAME_WORDS = /^(?:(?:0x[\da-f]+ )?in (?:\w|<|`|')|[\w.]+\/\d+$|\(\w+\)$)/i;

/** A line that begins with a place. What follows may be a message, only the name of an error, or a step of a trace. */
function readPlaced(text: string, [, path = '', line, column, rest = '']: RegExpExecArray): OutputLine {
  const words = rest.trim();
  const place = LIBRARY.test(text) ? '' : joinPlace(path, line, column);
  if (words === '' || FRAME_WORDS.test(words) || BARE_ERROR.test(words)) return { kind: 'place', place };
  if (/^lint\/|^\w+ ?━|━━/.test(words)) return { kind: 'place', place };
  if (isBare(words) || isQuiet(words)) return { kind: 'bare', text };
  if (PLACE_AT_END.test(words)) return { kind: 'place', place };
  const sure = surenessOf(words);
  return {
    kind: 'message',
    text,
    sure: Math.max(7, sure) + (/\b(?:want|got|expected|error|fail|should|must|not|!=)\b/i.test(words) ? 0.5 : 0),
  };
}

function surenessOf(text: string): number {
  for (const [sure, pattern] of MESSAGES) if (pattern.test(text)) return sure;
  if (SHELLS.test(text) && PROGRAM.test(text)) return 7;
  if (PROGRAM.test(text)) return PHRASE.test(text) ? 6 : WORD.test(text) ? 5 : 2;
  if (PHRASE.test(text)) return 3;
  return WORD.test(text) ? 1 : 0;
}

/** The place that a line names, in its shortest form; empty where there is none, or only one in a library. */
export function placeIn(text: string): string {
  const python = PYTHON_FRAME.exec(text);
  const found = python ?? PLACE.exec(text.replace(/^Error Trace:\s*/, ''));
  if (!found || LIBRARY.test(text)) return '';
  const [, path = '', line, column] = found;
  return joinPlace(path, line, column);
}

const joinPlace = (path: string, line = '', column = ''): string =>
  [path.replace(/^\(?(?:file:\/\/|app\/\/)?/, ''), line, column].filter(Boolean).join(':');
