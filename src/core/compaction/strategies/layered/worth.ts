/**
 * Estimates how likely later work is to need a name or a line again: 1 is certain. Hand-made from patterns common to
 * recorded sessions of several agents, using only features of any session; nothing here depends on a project or a
 * tool.
 */

import type { LineReason } from '../../../../api/index.ts';
import { type Line, type NameUse, type SessionIndex, SHORTEST_LINE, type Source } from './sessionIndex.ts';

/** Of edits, those that go back to something last mentioned long ago, and names of such a kind in an answer's calls. */
const USUAL_RETURNS = { edits: 0.25, names: 0.5 };

/** Edits and answers that the usual counts for, until there are more. */
const BEFORE = { edits: 2, answers: 5 };

const within = (x: number) => Math.min(2, Math.max(0.1, x));

/** How often this session's edits go back to old lines, relative to what is usual: 1. */
export const returnsToLines = ({ uses: { edits, farEdits } }: SessionIndex): number =>
  within((farEdits / USUAL_RETURNS.edits + BEFORE.edits) / (edits + BEFORE.edits));

/** The same of names in calls. */
export const returnsToNames = ({ uses: { answers, farNames } }: SessionIndex): number =>
  within((farNames / USUAL_RETURNS.names + BEFORE.answers) / (answers + BEFORE.answers));

const logistic = (x: number) => 1 / (1 + Math.exp(-x));

/** Tokens after which work has usually moved on to something else. */
const LONG_AGO = 150_000;

/**
 * Old content loses worth faster than by its age alone: its amount grows with every step, and together it would take
 * the room of the present work.
 */
const leftBehind = (ago: number) => 2 * Math.max(0, Math.log2(ago / LONG_AGO));

/** A commit ends an episode: its effect is in the repository, and what led to it is rarely needed again. */
const COMMITTED = { name: 0.35, line: 0.5 };

/** Factor of a line next to a kept one: an edit repeats several lines of a place. */
export const BESIDE = 2.5;

const DIGIT = /\d/;

/**
 * A name that calls used tends to return; one that appeared once in a long result rarely does, and a numbered one more
 * rarely still. `returns`: `returnsToNames` of the session.
 */
export function worthOfName(use: NameUse, { tokens, touched, committed }: SessionIndex, returns = 1): number {
  const age = Math.log2(Math.max(1, tokens - use.last) / 4_000);
  let x = -4.55 - 0.3 * age + 0.2 * Math.log2(use.mentions) + 0.5 * Math.log2(1 + use.calls);
  x -= leftBehind(tokens - use.last);
  if (use.last < committed) x -= COMMITTED.name;
  if (use.calls > 0) x += 0.3;
  if (use.isPath) x += use.calls > 0 ? 0.4 : -0.3;
  if (use.said) x += 0.8;
  if (use.asked) x += 0.6;
  if (touched.has(use.name)) x += 0.3;
  if (DIGIT.test(use.name)) x -= 0.45;
  return logistic(x) * returns;
}

/** The agent edits again its own text; it hardly ever repeats output of a command that shows no file. */
const PLACES = { written: 1.2, repeated: 0.2, file: 0, output: -2.2, other: -2.5 };

/** A line up to this length is as likely to be repeated as a shorter one. */
const USUAL_LENGTH = 40;

/**
 * A line of a file that was read or written is repeated when it is edited, as long as the file contains it. `returns`:
 * `returnsToLines` of the session.
 */
export function worthOfLine(
  { source, place, key, length, names, passing }: Line,
  { tokens, touched, removed, committed }: SessionIndex,
  returns = 1,
): number {
  if (length < SHORTEST_LINE || passing) return 0;
  const age = Math.log2(Math.max(500, tokens - source.end) / 16_000);
  let x = -4.2 - 0.38 * age - 0.75 * Math.max(0, Math.log2(length / USUAL_LENGTH)) + 0.3 * Math.log2(1 + names.length);
  if (place === 'result') x += source.file ? PLACES.file : PLACES.output;
  else x += place === 'written' || place === 'repeated' ? PLACES[place] : PLACES.other;
  x -= leftBehind(tokens - source.end);
  if (removed.has(key)) x -= 0.8;
  if (source.end < committed) x -= COMMITTED.line;
  if (source.file && touched.has(source.file)) x += 0.3;
  return logistic(x) * returns;
}

/** Number of names in a line above which `mostOfLines` does not bound it. */
export const MANY_NAMES = 32;

/** Upper bound for any single line of the message: written, with all names of the message. */
export function mostOfLines({ end, file }: Source, { tokens, touched }: SessionIndex, returns = 1): number {
  const age = Math.log2(Math.max(500, tokens - end) / 16_000);
  const x = PLACES.written - 4.2 - 0.38 * age + 0.3 * Math.log2(MANY_NAMES);
  return logistic(x - leftBehind(tokens - end) + (touched.has(file) ? 0.3 : 0)) * returns;
}

/** Why a line was selected: the reason of its most valuable name, or of the line itself. */
export function reasonFor(line: Line, index: SessionIndex): LineReason {
  let best: NameUse | null = null;
  let most = worthOfLine(line, index);
  for (const id of line.names) {
    const use = index.names[id];
    const worth = use ? worthOfName(use, index) : 0;
    if (use && worth > most) [best, most] = [use, worth];
  }
  if (best) return { why: reasonForName(best), name: best.name };
  const { file } = line.source;
  if (line.place === 'written') return { why: 'written', name: file };
  if (index.changed.has(file)) return { why: 'changed', name: file };
  return index.touched.has(file) ? { why: 'touched', name: file } : { why: 'recent', name: '' };
}

function reasonForName({ asked, calls, said, mentions }: NameUse): LineReason['why'] {
  if (asked) return 'asked';
  if (calls > 0) return 'called';
  if (said) return 'said';
  return mentions > 1 ? 'often' : 'recent';
}
