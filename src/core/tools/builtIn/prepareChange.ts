/** Shared by `edit_file` and `write_file`: the file before a change, and the guarantee to change only that state. */

import { isPlaceholder } from '../../codeBlocks/elisions.ts';
import type { FileChange } from '../../context/message.ts';
import { ToolError, wordsOf } from '../../errors.ts';
import { words } from '../../words.ts';
import type { FileFacts, Files, TextStyle } from '../../workspace/files.ts';
import type { CodeProblem, Language } from '../../workspace/language.ts';
import type { ChangedCells } from '../approvals.ts';
import { type DecodedText, decodeFile, encodeFile, equalBytes, LARGEST_FILE } from '../text/decodeText.ts';
import { diffTexts } from '../text/diffTexts.ts';
import { showInOneLine } from '../text/showHidden.ts';
import type { PreparedCall, ToolPorts } from '../tool.ts';
import { byWorst, showProblem } from './readProblems.ts';

export interface FileBefore {
  readonly facts: FileFacts;
  readonly shown: string;
  /** `shown`, and the real path if different: a person consents to the place that is written. */
  readonly target: string;
  /** Null when there is no file. */
  readonly bytes: Uint8Array | null;
  readonly decoded: DecodedText | null;
}

export async function readForChange(path: string, files: Files): Promise<FileBefore> {
  const facts = await files.resolve(path);
  const shown = showInOneLine(facts.shown);
  const place = facts.linked ? showInOneLine(`${facts.shown} → ${facts.real}`) : shown;
  const target = facts.names === undefined ? place : `${place} (one of ${facts.names} names of this file)`;
  if (!facts.exists) return { facts, shown, target, bytes: null, decoded: null };
  if (facts.type !== 'file') throw new ToolError(words('{0} is not a regular file and cannot be changed.', shown));
  if (facts.size > LARGEST_FILE) {
    const sizes = [String(facts.size), String(LARGEST_FILE)] as const;
    throw new ToolError(words('{0} has {1} bytes, more than the {2} that are changed here.', shown, ...sizes));
  }
  const bytes = await files.read(path);
  const decoded = await decodeFile(facts.real, bytes, files.text);
  if (decoded.kind === 'binary')
    throw new ToolError(words('{0} cannot be changed as text: {1}.', shown, decoded.reason));
  if (decoded.lossy) {
    throw new ToolError(
      words(
        '{0} is not valid UTF-8; changing it as text would damage it. Nor is it, byte for byte, in an encoding that is set for it: the user can set files.encoding, or reopen the file with its encoding.',
        shown,
      ),
    );
  }
  return { facts, shown, target, bytes, decoded };
}

interface FileAfter {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly style: TextStyle;
  /** Of a notebook that is changed by cell. */
  readonly cells?: ChangedCells;
}

/** Throws `ToolError` when the file's encoding cannot represent the text, before anybody is asked. */
export async function encodeAs(text: string, style: TextStyle, shown: string, files: Files): Promise<Uint8Array> {
  try {
    return await encodeFile(text, style, files.text);
  } catch (thrown) {
    if (!(thrown instanceof ToolError)) throw thrown;
    throw new ToolError(
      words('{0} is written in {1}. {2} Nothing was written.', shown, style.encoding, wordsOf(thrown)),
    );
  }
}

/** Files in which code comments are examples. */
const PROSE = /\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|ipynb)$/iu;

/**
 * The first line of `text` that stands for omitted code and that the file does not have; null if there is none. A new
 * document omits nothing.
 */
export function newPlaceholder(text: string, { shown, decoded }: FileBefore): string | null {
  const inProse = PROSE.test(shown);
  if (inProse && !decoded) return null;
  const found = text.split('\n').filter((line) => isPlaceholder(line, inProse));
  if (found.length === 0) return null;
  const known = new Set(decoded?.text.split('\n').map((line) => line.trim()));
  const line = found.find((each) => !known.has(each.trim()));
  return line === undefined ? null : showInOneLine(line.trim());
}

/**
 * The call that writes `after`: its approval shows the whole text before and after, and it is refused if the file has
 * changed. The person may amend the text; the result then reports their changes.
 */
export function prepareChange(
  path: string,
  before: FileBefore,
  after: FileAfter,
  { files, language }: Pick<ToolPorts, 'files' | 'language'>,
  done: string,
): PreparedCall {
  const { facts, shown, target } = before;
  const old = before.decoded?.text ?? null;
  return {
    title: shown,
    approval: {
      title: target,
      detail: {
        kind: 'edit',
        path: facts.shown,
        before: old,
        after: after.text,
        ...(after.cells ? { cells: after.cells } : {}),
      },
      mayRemember: !facts.guarded && facts.names === undefined,
    },
    changes: [facts.shown],
    amend(text) {
      const title = describeAmended(done, after.text, text);
      const run: PreparedCall['run'] = async (options) => {
        if (text === old) {
          const change = describeChange(facts.shown, old, old);
          return { text: `The user took back every change. ${shown} stays as it was.`, change };
        }
        const bytes = await encodeAs(text, after.style, shown, files);
        refuseUnfit(text, bytes, shown);
        return prepareChange(path, before, { text, bytes, style: after.style }, { files, language }, title).run(
          options,
        );
      };
      const amended = { text, bytes: after.bytes, style: after.style };
      return { ...prepareChange(path, before, amended, { files, language }, title), run };
    },
    async run({ signal }) {
      const write = async () => {
        await checkUnchanged(path, before, files);
        signal.throwIfAborted();
        await files.write(path, after.bytes, facts.real);
      };
      const text = `${done}${await problemsBrought(facts.shown, write, language, signal)}`;
      const { before: from = old, after: to = after.text } = after.cells ?? {};
      return { text, change: describeChange(facts.shown, from, to) };
    },
  };
}

/** Characters of a diff that are stored. */
const LONGEST_DIFF = 60_000;

/** `before` and `after` are null where the file does not exist. */
export function describeChange(path: string, before: string | null, after: string | null): FileChange {
  const { diff, added, removed } = diffTexts(before ?? '', after ?? '');
  return { path, added, removed, creates: before === null, diff: diff.slice(0, LONGEST_DIFF).toWellFormed() };
}

function describeAmended(done: string, asked: string, written: string): string {
  const { diff } = diffTexts(asked, written);
  return `${done} The user changed your text before it was written. From your text to what the file holds now:\n${diff}`;
}

function refuseUnfit(text: string, bytes: Uint8Array, shown: string): void {
  if (!text.isWellFormed() || text.includes('\0')) {
    throw new ToolError(`What the user made of ${shown} is no text that can be written. Nothing was written.`);
  }
  if (bytes.length > LARGEST_FILE) {
    throw new ToolError(`What the user made of ${shown} is too long. Nothing was written.`);
  }
}

async function checkUnchanged(path: string, { facts, shown, bytes }: FileBefore, files: Files): Promise<void> {
  const now = await files.resolve(path);
  if (now.real !== facts.real) throw movedElsewhere(shown);
  if (!now.exists && bytes === null) return;
  const same = now.exists && bytes !== null && now.type === 'file' && equalBytes(await files.read(path), bytes);
  if (!same) throw changedMeanwhile(shown);
}

export function changedMeanwhile(shown: string): ToolError {
  return new ToolError(`${shown} changed since this was prepared; nothing was written. Read it again first.`);
}

/** Since the person agreed, a link has replaced the path, or leads elsewhere. */
export function movedElsewhere(shown: string): ToolError {
  return new ToolError(`${shown} now leads to another place; nothing was written.`);
}

const MOST_TOLD = 10;

/**
 * Makes the change. Returns a report, for the model, of the errors and warnings that it introduced, as the editor's
 * language extensions know them; empty when there are none, or the problems are unknown. Throws only errors of the change.
 */
async function problemsBrought(
  path: string,
  change: () => Promise<void>,
  language: Language | undefined,
  signal: AbortSignal,
): Promise<string> {
  const edit = { begun: false, made: false };
  const make = async () => {
    edit.begun = true;
    await change();
    edit.made = true;
  };
  const around = await language?.problemsAround(path, make, signal).catch((thrown: unknown) => {
    // A failure of an extension is not a failure of the edit.
    if (edit.begun && !edit.made) throw thrown;
    return null;
  });
  if (!edit.begun) await make();
  return around ? describeNew(around.before, around.after) : '';
}

function describeNew(before: readonly CodeProblem[], after: readonly CodeProblem[]): string {
  const brought = newProblems(before, after).sort(byWorst);
  if (brought.length === 0) return '';
  const more = brought.length - MOST_TOLD;
  const lines = brought.slice(0, MOST_TOLD).map(showProblem);
  const rest = more > 0 ? [`and ${more} more`] : [];
  return ['', 'Problems that the editor did not show before:', ...lines, ...rest].join('\n');
}

/** A problem that only moved to another line is not new. */
function newProblems(before: readonly CodeProblem[], after: readonly CodeProblem[]): CodeProblem[] {
  const old = new Map<string, number>();
  for (const problem of before) old.set(keyOf(problem), (old.get(keyOf(problem)) ?? 0) + 1);
  return after.filter((problem) => {
    if (problem.severity === 'information') return false;
    const left = old.get(keyOf(problem)) ?? 0;
    old.set(keyOf(problem), left - 1);
    return left <= 0;
  });
}

const keyOf = ({ severity, source, message }: CodeProblem) => JSON.stringify([severity, source, message]);
