/**
 * The scripted demo's next step, as a pure function of the request. It does not pretend: every text says that it is a
 * script or its tour, and every call is answered by the real tools in the open folder.
 */

import { asText, type Json } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model/modelClient.ts';
import { verbatim, type Words, words } from '../../core/words.ts';
import {
  type DemoCall,
  type DemoHistory,
  type DemoPlace,
  listedFolders,
  readDemoHistory,
  visibleFile,
  writePlace,
} from './demoHistory.ts';

export interface DemoStep {
  readonly text: Words;
  readonly calls: readonly DemoAsk[];
}

/** A call in its final form. With `question`, a pause that the person ends, in their language. */
interface DemoAsk {
  readonly name: string;
  readonly input: Json;
  readonly question?: { readonly text: Words; readonly choice: Words };
}

/** The tour fills the context, shows its compaction, and ends with what undoes it. The first step has several requests. */
const TOUR = { fill: 1, look: 2, undo: 3 } as const;
const TOUR_STEPS = 3;
/** Files read by the tour: enough to fill a small window, and no more in a large one. */
const MOST_READ = 16;

/** In this order; an impossible step is skipped. */
const FOLLOW_UP = ['intro', 'read 1', 'search', 'pair 2'];
const EDIT = ['target', 'edit', 'check'];
const MORE_READING = ['read 3', 'read 4'];

/** Maximum lines read in one step: enough to fill a small window, but not with one result. */
const LINES_READ = 160;
const MARK = '(noted by the scripted demo)';
const NEW_FILE = 'palimpsest-demo.md';

/** `place` precedes the text; it is the script's only memory. */
export function nextDemoStep(request: ModelRequest): DemoStep & { readonly place: Words } {
  const history = readDemoHistory(request.messages);
  const { place, answeredBefore } = history;
  const script = place?.script ?? (answeredBefore === 0 ? 'tour' : 'again');
  const tools = new Set(request.tools.map((tool) => tool.name));
  if (script === 'tour') return nextOfTour(history, tools);
  const phases = phasesFor(history);
  const steps = phases.length + 1;
  const end = (text: Words) => ({ place: namePlace({ script, step: steps, steps }), text, calls: [] });
  if (tools.size === 0 || (place && isNoFolder(history.calls.at(-1)?.result))) return end(WITHOUT_FOLDER);
  for (let at = place ? place.step : 0; at < phases.length; at++) {
    const step = stepFor(phases[at] ?? '', history);
    if (step?.calls.every(({ name }) => tools.has(name))) {
      return { place: namePlace({ script, step: at + 1, steps }), ...step };
    }
  }
  return end(closingText(history, tools));
}

function nextOfTour(history: DemoHistory, tools: ReadonlySet<string>): DemoStep & { readonly place: Words } {
  const { place, compacted, calls } = history;
  const at = (step: number, { text, calls: asked }: DemoStep) => ({
    place: namePlace({ script: 'tour', step, steps: TOUR_STEPS }),
    text,
    calls: asked,
  });
  if (tools.size === 0 || (place && isNoFolder(calls.at(-1)?.result)))
    return at(TOUR.undo, { text: WITHOUT_FOLDER, calls: [] });
  const isFull = place !== null && compacted;
  const step = place?.step === TOUR.look ? null : isFull ? pause(LOOK_AT_COMPACTION) : fill(history);
  if (step?.calls.every(({ name }) => tools.has(name))) return at(isFull ? TOUR.look : TOUR.fill, step);
  const undo = compacted ? PRESS_UNDO : COMPACT_BY_HAND;
  return at(TOUR.undo, { text: [...undo, ...BREAK, ...MORE, ...BREAK, ...REAL], calls: [] });
}

/** Until something was compacted every call is visible. Null when there is nothing left to read. */
function fill(history: DemoHistory): DemoStep | null {
  const { place, calls, files } = history;
  if (place === null) return stepFor('list', history);
  const listings = calls.filter(({ name }) => name === 'list_files').length;
  const deeper = listings === 1 && calls.length === 1 ? lookDeeper(history) : null;
  if (deeper) return deeper;
  const read = new Set(calls.flatMap(({ name, input }) => (name === 'read_file' ? [asText(input.path)] : [])));
  const next = files.findIndex((path) => !read.has(path));
  if (next >= 0 && read.size < MOST_READ) return readOne(next + 1, { ...history, answeredBefore: 0 }, read.size);
  const sought = new Set(calls.flatMap(({ name, input }) => (name === 'search_text' ? [asText(input.pattern)] : [])));
  const letter = LETTERS.find((each) => !sought.has(each));
  return letter === undefined ? null : searchBroadly(letter);
}

/** Nearly every line has one of them, so that even a small folder fills a small window. */
const LETTERS = ['e', 'a', 't', 'o'] as const;

function searchBroadly(letter: (typeof LETTERS)[number]): DemoStep {
  return {
    text: words(
      'It searches for the letter “{0}”. Nearly every line has one, and the result is long: a search that is too broad is the quickest way to fill a window, and its result is what a strategy can hide first.',
      letter,
    ),
    calls: [{ name: 'search_text', input: { pattern: letter } }],
  };
}

/** The end of each sentence is what `placesIn` finds, in every language. */
function namePlace(place: DemoPlace): Words {
  const at = writePlace(place);
  return place.script === 'tour' ? words('Tour {0}', at) : words('Script {0}', at);
}

/** An edit is shown once, and then where the message names one. */
function phasesFor({ asked, answeredBefore }: DemoHistory): string[] {
  const command = /\b(run|command|execute|tests?)\b/i.test(asked) ? ['command'] : [];
  const edit = answeredBefore < 2 || /\b(edit|change|write|fix|add)\b/i.test(asked) ? EDIT : MORE_READING;
  return [...FOLLOW_UP, ...edit, ...command];
}

function stepFor(phase: string, history: DemoHistory): DemoStep | null {
  const [name, number] = phase.split(' ');
  switch (name) {
    case 'list':
      return {
        text: words(
          'Fill. The bar at the top is the context: all that a model sees of a conversation. This fixed script drives the real tools, without a language model, and reads the open folder until the bar is full. Its mark is where the context is compacted.',
        ),
        calls: [{ name: 'list_files', input: { path: '.' } }],
      };
    case 'intro':
      return {
        text: words(
          'This is the scripted demo. It cannot understand your message; it goes through steps of its own: it lists the folder, reads and searches, and shows an edit that waits for you. Each step adds to the context meter above. To have your message answered, choose a model in the panel.',
        ),
        calls: [{ name: 'list_files', input: { path: '.' } }],
      };
    case 'folders':
      return lookDeeper(history);
    case 'read':
      return readOne(Number(number), history);
    case 'pair':
      return readPair(Number(number), history);
    case 'search':
      return searchWord(history);
    case 'target':
      return readTarget(history);
    case 'edit':
      return proposeEdit(history);
    case 'check':
      return checkEdit(history);
    case 'command':
      return runCommand(history.asked);
    default:
      return null;
  }
}

const LOOK_AT_COMPACTION = words(
  'The row with two token counts above was a compaction. Open it to see what went and what stayed, and by which strategy.',
);
const PRESS_UNDO = words(
  'Undo. Press ↶ at the end of the row with two token counts: all of it is back, for the model too. Whatever is compacted stays in the conversation and on disk.',
);
const COMPACT_BY_HAND = words(
  'Compact and undo. Nothing was compacted by itself so far, so type /compact: a row shows the tokens before and after, and what went. Then press ↶ at its end: all of it is back, for the model too.',
);
const MORE = words(
  'That is all that is different here. **More…** below the answer shows the rest: several calls in one block, searches, and an edit that waits for you.',
);

/** A pause for something to look at: the script waits for the person. */
function pause(text: Words): DemoStep {
  return {
    text: words('Compact. Have a look:'),
    calls: [{ name: 'ask_user', input: {}, question: { text, choice: words('Continue') } }],
  };
}

function lookDeeper({ calls }: DemoHistory): DemoStep | null {
  const folders = listedFolders(calls);
  if (folders.length === 0) return null;
  return {
    text: words(
      'It reads {0} at once: several calls in one message form a block, and a block is always kept or compacted as a whole.',
      listed(folders),
    ),
    calls: folders.map((path) => ({ name: 'list_files', input: { path } })),
  };
}

const READING_TEXTS = [
  words(
    'Whatever a tool returns goes into the context, and stays there for every later request. The meter shows how full the window is.',
  ),
  words(
    'Each file read makes the next request longer, because the whole conversation is sent again each time. That is why the window fills up faster than it looks.',
  ),
  words(
    'When the trigger mark on the meter is reached, the chosen strategy compacts the conversation. A row then shows what was removed, what stayed and how many tokens that saved; it can be undone there.',
  ),
  words(
    'What was compacted away is still in the conversation and in the session’s file on disk: only the model’s view gets shorter, nothing is lost.',
  ),
];

/** `said`: how many of its texts were said before; by default as many as files. */
function readOne(number: number, { files, answeredBefore }: DemoHistory, said = number - 1): DemoStep | null {
  if (number > files.length) return null;
  // A later message begins with other files, so that the tour is not repeated.
  const path = files[(number - 1 + answeredBefore * 4) % files.length];
  if (!path) return null;
  return {
    text: [...words('It reads {0}.', path), ...(READING_TEXTS[said % READING_TEXTS.length] ?? [])],
    calls: [{ name: 'read_file', input: { path, limit: LINES_READ } }],
  };
}

function readPair(number: number, { files }: DemoHistory): DemoStep | null {
  const paths = files.slice(number - 1, number + 1);
  if (paths.length === 0) return null;
  return {
    text: words(
      'It reads {0} in one message. Their results answer calls of one block, so a strategy hides, keeps or drops them together.',
      listed(paths),
    ),
    calls: paths.map((path) => ({ name: 'read_file', input: { path, limit: LINES_READ } })),
  };
}

/** A longish word of the newest visible file, which a search is sure to find. */
function searchWord({ calls }: DemoHistory): DemoStep | null {
  const read = calls.findLast(({ name, result }) => name === 'read_file' && result !== null);
  const text = read ? visibleFile(calls, asText(read.input.path)) : null;
  const found = text?.match(/\b[A-Za-z]{5,20}\b/g) ?? [];
  const pattern = found[Math.floor(found.length / 2)] ?? 'TODO';
  return {
    text: words(
      'It searches the folder for “{0}”, a word it picked from what it read by position, not by meaning.',
      pattern,
    ),
    calls: [{ name: 'search_text', input: { pattern } }],
  };
}

/** The file to edit is read right before, so that a compaction in between cannot have hidden it. */
function readTarget({ files }: DemoHistory): DemoStep | null {
  // Only prose: a note at the end of a line would break code.
  const path = files.find((name) => /\.(md|txt)$/i.test(name));
  if (!path) return null;
  return {
    text: words(
      'Next it will propose one small edit in {0}. An edit replaces an exact piece of text, so the file is read once more first.',
      path,
    ),
    calls: [{ name: 'read_file', input: { path, limit: LINES_READ } }],
  };
}

function proposeEdit({ calls }: DemoHistory): DemoStep {
  const newest = calls.at(-1);
  const path = newest?.name === 'read_file' ? asText(newest.input.path) : '';
  const line = /\.(md|txt)$/i.test(path) ? editableLine(visibleFile(calls, path) ?? '') : null;
  const asks = words(
    'Nothing is written before you allow it: the card below shows the exact change. Allow it or decline it; the script goes on either way.',
  );
  if (!line) {
    const content = `# Palimpsest demo\n\nThis file was proposed by the scripted demo. It can be deleted.\n`;
    return {
      text: [...words('It found no line of prose to edit, so it proposes a new file, {0}.', NEW_FILE), ...asks],
      calls: [{ name: 'write_file', input: { path: NEW_FILE, content } }],
    };
  }
  return {
    text: [...words('It proposes to add a short note at the end of one line of {0}.', path), ...asks],
    calls: [{ name: 'edit_file', input: { path, old_string: line, new_string: `${line} ${MARK}` } }],
  };
}

/** The first plain sentence that is unique and has no note yet. */
function editableLine(text: string): string | null {
  const lines = text.split('\n');
  const plain = lines.find(
    (line) => /^[A-Za-z][^|`<>[\]]{14,}[.:!]?$/.test(line) && !line.includes(MARK) && text.split(line).length === 2,
  );
  return plain?.trimEnd() ?? null;
}

function checkEdit({ calls }: DemoHistory): DemoStep | null {
  const change = newestChange(calls);
  if (!change) return null;
  const path = asText(change.input.path);
  if (wasRefused(change.result)) {
    return {
      text: words(
        'The change to {0} was not made, as the result above says; nothing on disk is different. It reads on.',
        path,
      ),
      calls: [{ name: 'list_files', input: { path: '.' } }],
    };
  }
  return {
    text: words('The change was made. The script reads {0} again, as a careful agent does after a change.', path),
    calls: [{ name: 'read_file', input: { path, limit: LINES_READ } }],
  };
}

function newestChange(calls: readonly DemoCall[]): DemoCall | undefined {
  return calls.findLast(({ name }) => name === 'edit_file' || name === 'write_file');
}

function wasRefused(result: string | null): boolean {
  return (
    result !== null && /declined|refused|not found|is found \d+ times|denied|not allowed|trust|^\w+: /i.test(result)
  );
}

/** The command in backticks, or a harmless one; it needs approval like any other. */
function runCommand(asked: string): DemoStep {
  const command = /`([^`\n]+)`/.exec(asked)?.[1] ?? 'git status --short';
  return {
    text: words(
      'Your message mentions running something, so it proposes the command “{0}”. A command asks first, unless you have allowed exactly that one.',
      command,
    ),
    calls: [{ name: 'run_command', input: { command } }],
  };
}

function isNoFolder(result: string | null | undefined): boolean {
  return /no folder is open/i.test(result ?? '');
}

const WITHOUT_FOLDER = words(
  'No folder is open, so there is nothing for the script to list or read. Open a folder (File › Open Folder) and send any message; the demo then works on it with the real tools.',
);

function closingText(history: DemoHistory, tools: ReadonlySet<string>): Words {
  return [
    ...words('The script has gone through its steps.'),
    ...describeChange(history, tools),
    ...BREAK,
    ...TRY_NOW,
    ...BREAK,
    ...SUGGESTIONS,
    ...BREAK,
    ...REAL,
  ];
}

function describeChange({ calls }: DemoHistory, tools: ReadonlySet<string>): Words {
  const change = newestChange(calls);
  if (!change) {
    return tools.has('edit_file')
      ? words('The cards above say whether anything was changed.')
      : words('Nothing was changed: in this window the agent may only read.');
  }
  const path = asText(change.input.path);
  return wasRefused(change.result)
    ? words('The proposed change to {0} was not made.', path)
    : words('The change to {0} is saved to disk; you can remove it at any time.', path);
}

const BREAK = verbatim('\n\n');
const TRY_NOW = words('What you can try now:');
const SUGGESTIONS = words(
  '- **Send any message**: the script goes on with other files, the window fills further, and it is compacted again.\n- **/compact** compacts at once. The row that appears shows the tokens before and after, and undoes it.\n- **Choose another strategy** at the top of the panel, then compact again and compare what it keeps.\n- **Choose a real model**: any OpenAI-compatible endpoint, with a key or on this machine.',
);
const REAL = words(
  'The texts above came from a script; the files, the results, the token counts and the compactions were real.',
);

/** `a and b`. */
function listed([first = '', ...others]: readonly string[]): Words {
  return others.reduce<Words>((notice, path) => words('{0} and {1}', notice, path), verbatim(first));
}
