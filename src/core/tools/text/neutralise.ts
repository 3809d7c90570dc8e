/**
 * Prevents foreign text (tool results, model answers, imports) from posing as text that the compactor puts into a
 * context: a stub, the marker of pruned output, or the heading of its ledger. Look-alikes count too: full-width and
 * other forms of the letters, letters of other alphabets, invisible characters between them.
 */

const IGNORED = '[\\s\\p{Cf}\\p{M}\\p{Default_Ignorable_Code_Point}]';

/** Characters that look like one of these. */
const ALIKE: Readonly<Record<string, string>> = {
  '[': '\\[\uff3b\u3010\u3014\u3016\u301a\u27e6\u2772\u2045\ufe5d\u298b\u27ec',
  '(': '(\uff08\ufe59\u2768\u27ee',
  ')': ')\uff09\ufe5a\u2769\u27ef',
  ':': ':\uff1a\ufe55\u02d0\u2236\ua789\u02f8',
  ',': ',\uff0c\ufe50\u201a',
  '-': '\\-_\u2010-\u2015\u2212\uff0d',
  a: 'а\u0410α\u0391ɑ',
  b: 'Ь\u0412Β',
  c: 'с\u0421ϲ\u2ca5',
  d: 'ԁ\u2146',
  e: 'е\u0415ε\u0395℮',
  f: 'ƒ\u03dd',
  g: 'ɡ\u0581',
  h: 'һ\u041dΗ',
  i: 'і\u0406ι\u0399ı',
  j: 'ј\u0408ϳ',
  k: 'к\u041aκ\u039a',
  l: 'I\u0406\u0399ӏ\u04c0|1\u2113',
  m: 'м\u041cΜ',
  n: 'п\u0578\u039d',
  o: 'о\u041eο\u039f0',
  p: 'р\u0420ρ\u03a1\u2ca3',
  q: 'ԛ',
  r: 'г\u1d26',
  s: 'ѕ\u0405\ua731',
  t: 'т\u0422τ\u03a4',
  u: 'υ\u057d',
  v: 'ν\u0475\u0474',
  w: 'ѡ\u0461ԝω',
  x: 'х\u0425χ\u03a7',
  y: 'у\u0423Υγ',
  z: 'Ζ\u1d22',
};

/** First letters of ranges of lower- or upper-case letters. */
const SMALL = ['a', '\uff41', '\u24d0', '\u249c', ...rows(0x1d41a)];

const LARGE = ['A', '\uff21', '\u24b6', '\u{1f130}', ...rows(0x1d400)];

function rows(first: number): string[] {
  return Array.from({ length: 13 }, (_, style) => String.fromCodePoint(first + 52 * style));
}

/** Matches any character that looks like this one. */
function alike(sign: string): string {
  const nth = sign.charCodeAt(0) - 97;
  const own = nth < 0 ? [] : [...SMALL, ...LARGE].map((row) => String.fromCodePoint((row.codePointAt(0) ?? 0) + nth));
  return `[${own.join('')}${ALIKE[sign] ?? ''}]`;
}

/** Matches anything that looks like these small letters and signs. */
const like = (text: string): string =>
  [...text]
    .filter((sign) => sign !== ' ')
    .map(alike)
    .join(`${IGNORED}*`);

const STUB = `${IGNORED}*${like('palimpsest:')}|${IGNORED}*${like('output pruned at')}${IGNORED}`;

const LEDGER = `${IGNORED}*${like('(facts of what was compacted')}`;

const BEGINNINGS = `${alike('[')}(?=\\\\*(?:${STUB}))|${like('ledger')}(?=\\\\*${LEDGER})`;

const MARKED = new RegExp(`(${BEGINNINGS})`, 'gu');

const NEUTRALISED = new RegExp(`(${BEGINNINGS})\\\\`, 'gu');

const UNMARKED = new RegExp(`(${alike('[')})(?=${STUB})`, 'gu');

const HEADING = new RegExp(
  `${like('ledger')}${LEDGER}(?:${IGNORED}*${like(', collected by program')})?(?:${IGNORED}*${alike(')')})?(?:${IGNORED}*${alike(':')})?`,
  'gu',
);

/**
 * For a tool's result, once, when it returns: adds a backslash after the beginning of each look-alike. The change is
 * visible and exactly reversible; a text neutralised twice must be restored twice.
 */
export function neutralise(text: string): string {
  return text.replace(MARKED, '$1\\');
}

/** The inverse of `neutralise`: the file's real text where the model copied from what it was shown. */
export function restoreNeutralised(text: string): string {
  return text.replace(NEUTRALISED, '$1');
}

/** For notes by a model, a person or another program, such as a summary. Idempotent. */
export function neutraliseNotes(text: string): string {
  return text.replace(UNMARKED, '$1\\').replace(HEADING, 'Facts that earlier notes named:');
}

/** The word that a name only looks like, with letters of other alphabets or hidden ones; null for the word itself. */
export function findLookAlike(name: string, words: Iterable<string>): string | null {
  const plain = name.normalize('NFKD').toLowerCase();
  for (const word of words) {
    if (name.toLowerCase() === word) return null;
    if (new RegExp(`^${IGNORED}*${like(word)}${IGNORED}*$`, 'u').test(plain)) return word;
  }
  return null;
}
