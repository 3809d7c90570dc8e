/**
 * Lines that mark omitted code (`// … existing code …`). A block of an answer is split there; in a file that is
 * written, such a line would replace the code.
 */

const MARK = String.raw`(?:\/\/+|#+|--|;+|%|\{?\s*\/\*+|<!--)`;

const DOTS = new RegExp(String.raw`^(?:${MARK}\s*)?(?:\.{3,}|…)\s*(?:\*\/\s*\}?|-->)?$`);

const MARKED_DOTS = new RegExp(
  String.raw`^${MARK}\s*(?:[([{]\s*)?(?:\.{3}|…)|^${MARK}.*(?:\.{3}|…)\s*[)\]}]?\s*(?:\*\/\s*\}?|-->)?$`,
);

const ELIDED = new RegExp(
  String.raw`^${MARK}.*(?:\b(?:existing|unchanged|remaining|previous|other|rest of(?: the)?)\s+(?:code|file|function|class|methods?|imports?|implementation|body)\b|\b(?:unchanged|stays the same|remains the same)\b|其余|保持不变|省略|原有代码)`,
  'i',
);

/**
 * Longest line that is examined, in characters. The patterns may backtrack over all of it, and start after the indent.
 */
const LONGEST = 200;

const PLACEHOLDER = new RegExp(String.raw`^(${MARK})?\s*(.*?)\s*(?:\*\/\s*\}?|-->)?$`, 's');

const THING =
  '(?:code|files?|functions?|class(?:es)?|methods?|imports?|exports?|implementations?|body|contents?|logic|components?|modules?|scripts?|documents?|sections?|fields?|propert(?:y|ies)|props|tests?|cases|styles|rules|config(?:uration)?|settings|handlers?|routes?|lines|columns?|rows|parameters|options|definitions?|declarations?|variables|constants|types|interface|items|entries|stuff)';

const REST = String.raw`(?:rest|remainder)(?:\s+of\s+(?:(?:the|your|this|my|our)\s+)?(?:[\w.]+\s+){0,2}?${THING})?`;

const KEPT = String.raw`(?:existing|unchanged|remaining|previous|original|other|same)\s+(?:\w+\s+){0,2}?${THING}`;

const LEAD = String.raw`(?:(?:keep|include|insert|leave|add|and|then|all|the|your|our|of)\s+){0,3}`;

const STATE =
  '(?:unchanged|unmodified|untouched|intact|omitted|the same|same as (?:before|above)|as (?:is|before)|(?:goes? )?here)';

const LINK = String.raw`[\s,:–-]+(?:(?:is|are|was|were|has|have|been|remains?|stays?|left|kept|will|be)\s+){0,3}`;

const AFTER = String.raw`(?:\s+(?:for (?:brevity|clarity)|as (?:is|before)|here))?[.!]?`;

/** With dots, naming code is enough; a comment without dots has to say that the code stays or is omitted. */
const NAMES_CODE = new RegExp(
  `^${LEAD}(?:(?:${REST}|${KEPT})(?:${LINK}${STATE})?|(?:code |lines )?(?:unchanged|omitted|snipped|truncated)|no changes?|same as (?:before|above))${AFTER}$`,
  'i',
);

const LEFT_AS_IT_IS = new RegExp(
  String.raw`^${LEAD}(?:(?:${REST}|${KEPT})${LINK}${STATE}|(?:rest|remainder)\s+of\s+(?:(?:the|your|this)\s+)?${THING}|(?:existing|unchanged) code)${AFTER}$`,
  'i',
);

const CHINESE_CODE = /^(?:(?:此处)?省略|(?:其余|其他|剩余|原有|现有|已有).{0,12})$/;

const CHINESE_LEFT = /^(?:其余|其他|剩余|原有|现有|已有).{0,12}(?:不变|省略|相同|略)$|^此处省略.{0,12}$/;

/** `known` are the trimmed lines of the file: a marker among them omits nothing. Pieces without text are left out. */
export function splitAtElisions(lines: readonly string[], known: ReadonlySet<string>): string[][] {
  const pieces: string[][] = [[]];
  for (const line of lines) {
    if (leavesOut(line) && !known.has(line.trim())) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  const filled = pieces.filter((piece) => piece.some((line) => line.trim() !== ''));
  // A single piece next to a marker is not the whole file: nothing may be assumed to be omitted.
  return pieces.length > 1 && filled.length === 1 ? [...filled, []] : filled;
}

/**
 * True when the line can only stand for omitted code. False for a comment that ends in dots or mentions other code. In
 * prose, where code comments are examples, only the document's own comments count.
 */
export function isPlaceholder(line: string, inProse = false): boolean {
  if (line.length > LONGEST || (inProse && !/^\s*(?:<!--|[([]?(?:\.{3}|…))/.test(line))) return false;
  const [, mark = '', comment = ''] = PLACEHOLDER.exec(line.trim()) ?? [];
  const hasDots = /\.{3}|…/.test(line);
  const text = comment.replace(/^[\s.…([{（]+|[\s.…)\]}）]+$/g, '');
  if (text === '') return mark !== '' && /^[([{（]?\s*(?:\.{3}|…)\s*[)\]}）]?$/.test(comment);
  if (hasDots ? NAMES_CODE.test(text) : mark !== '' && LEFT_AS_IT_IS.test(text)) return true;
  return (mark !== '' || hasDots) && (hasDots ? CHINESE_CODE : CHINESE_LEFT).test(text);
}

function leavesOut(line: string): boolean {
  const text = line.trim();
  return line.length <= LONGEST && (DOTS.test(text) || MARKED_DOTS.test(text) || ELIDED.test(text));
}
