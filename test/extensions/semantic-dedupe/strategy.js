// @ts-check
/** @import { ContextMessage, StrategyFactory } from '../../../src/api/index.ts' */

/** What `read_file` says above the text. */
const LINES = /^[^\n]*: lines (\d+)-(\d+) of (\d+)/;

/**
 * Hides what a read of a file gave when later messages show it again: a read of the same lines, or a write of the whole.
 * @type {StrategyFactory}
 */
export const semanticDedupe = {
  needs: [],
  create: () => ({
    compact: async ({ history, hide }) => {
      const superseded = findSuperseded(history);
      const result = history.map((message) => (superseded.has(message.id) ? hide(message) : message));
      return result.some((message, i) => message !== history[i]) ? result : null;
    },
  }),
};

/**
 * Ids of results, found from the newest message to the oldest.
 * @param {readonly ContextMessage[]} history
 */
function findSuperseded(history) {
  /** Two groups may use the same id of a call. */
  const calls = new Map(
    history.flatMap((m) => (m.role === 'assistant' ? m.toolCalls.map((call) => [`${m.block} ${call.id}`, call]) : [])),
  );
  /** @type {Map<string, { first: number, last: number }[]>} lines that later messages show, by path */
  const shown = new Map();
  const superseded = new Set();
  for (const message of history.toReversed()) {
    if (message.role !== 'tool' || message.isError || message.hidden || message.truncated) continue;
    const asked = readArguments(calls.get(`${message.block} ${message.toolCallId}`)?.arguments);
    if (typeof asked.path !== 'string') continue;
    const file = asked.path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
    const later = shown.get(file) ?? [];
    shown.set(file, later);
    if (message.toolName === 'write_file') later.push({ first: 1, last: Infinity });
    if (message.toolName !== 'read_file') continue;
    const lines = linesOf(message.text, asked);
    if (later.some(({ first, last }) => first <= lines.first && last >= lines.last)) superseded.add(message.id);
    else later.push(lines);
  }
  return superseded;
}

/**
 * A model wrote them: they need not be JSON, nor an object.
 * @param {string} [json]
 * @returns {Readonly<Record<string, unknown>>}
 */
function readArguments(json = '') {
  try {
    return Object(JSON.parse(json));
  } catch {
    return {};
  }
}

/**
 * @param {string} text
 * @param {Readonly<Record<string, unknown>>} asked
 */
function linesOf(text, asked) {
  const [found, first, last, all] = LINES.exec(text) ?? [];
  if (found) return { first: Number(first), last: first === '1' && last === all ? Infinity : Number(last) };
  const from = typeof asked.offset === 'number' ? asked.offset : 1;
  return { first: from, last: typeof asked.limit === 'number' ? from + asked.limit - 1 : Infinity };
}
