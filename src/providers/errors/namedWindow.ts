/**
 * The window that a refusal names, in any of the ways in which numbers of tokens are written. Pure. A text of which this
 * reads is known to be about the window.
 */

/** As digits alone: `128k`, `1M`, `256,000`, `200_000`, `32768.0`. */
export function spellNumbers(text: string): string {
  return text
    .replace(/(?<=\d)[,_](?=\d{3}(?!\d))/g, '')
    .replace(/\b(\d+)\.0+\b(?!\.)/g, '$1')
    .replace(/\b(\d{1,4}(?:\.\d+)?)[ -]?([kKmM])\b(?![a-zA-Z])/g, (_, count: string, unit: string) =>
      String(Math.round(Number(count) * (unit.toLowerCase() === 'k' ? 1e3 : 1e6))),
    );
}

/** Windows below 256 tokens or over a hundred million are other numbers. */
export function readTokens(digits: string | undefined): number | undefined {
  if (!digits) return undefined;
  const value = Number(digits.replace(/[,_]/g, ''));
  return value >= 256 && value <= 100_000_000 ? value : undefined;
}

const NUMBER = String.raw`(?<window>\d{3,9})(?!\d|\.\d|\s*(?:characters?|chars?|bytes?|[kmg]i?b\b|images?|messages?|seconds?|ms\b|%|字符))`;
/** What may stand between a limit and its number. */
const FILLER = String.raw`(?:\s+(?:is|of|to|only|context|tokens?|number|length|size|window|input|prompt|allowed|for|this|the|model|are|be|in|that|it|supports?|up|at|most|takes|configured|available|maximum|max|limit)\b)*(?:\s*[为是])?[\s:=(,\[\x60'"~≈]*`;

/** In order: what compares, what names a parameter, what names a limit, and what follows a number. */
const NAMED: readonly RegExp[] = [
  /\d{3,9} ?\/ ?(?<window>\d{3,9})\b/,
  /\d\D{0,24}(?:>=?|≥)\s*(?:[a-z_]+\s*[(=:]?\s*)?(?<window>\d{3,9})/i,
  new RegExp(
    String.raw`\b(?:n_ctx|num_ctx|max_model_len|max_seq(?:uence)?_len(?:gth)?|max_num_tokens|max_position_embeddings|max_context_(?:length|tokens|size)|context_(?:length|window|size)|max_(?:input|prompt|total)_(?:tokens|length)|token_limit)["'\x60]?\s*(?:[:=(\[]|\bis\b|\bof\b|\s)*${NUMBER}`,
    'i',
  ),
  new RegExp(
    String.raw`(?:\b(?:limit|maximum|max|allowed|supports?|takes|up to|at most|no more than|less than|fewer than)\b|最大|上限|限制|最多)${FILLER}${NUMBER}`,
    'i',
  ),
  new RegExp(
    String.raw`\bcontext[ _-]?(?:window|length|size|limit)\b${FILLER}${NUMBER}(?!\W{0,3}(?:tokens?)?\W{0,3}(?:exceed|is (?:too|longer|larger)|>))`,
    'i',
  ),
  new RegExp(String.raw`${NUMBER}[ -]?(?:tokens?)?[ -]?(?:maximum|limit|max\b|(?:token )?context)`, 'i'),
  new RegExp(String.raw`(?:最大|上限|限制|长度)[^\d。]{0,20}${NUMBER}`, 'u'),
  new RegExp(
    String.raw`(?:exceed\w*|less than(?: or equal to)?|at most|no more than|fewer than)\s*[(\x60]?${NUMBER}`,
    'i',
  ),
];

/** MiniMax writes the number of its error after its words. */
const MINIMAX_CODE = /exceeds limit \(2013\)/i;

export function findWindow(given: string): number | undefined {
  const text = given.replace(MINIMAX_CODE, '');
  for (const pattern of NAMED) {
    const found = readTokens(pattern.exec(text)?.groups?.window);
    if (found) return found;
  }
  return undefined;
}
