/**
 * The rules of a messages request, as Anthropic documents and enforces them. Pure: a request's body goes in, the broken
 * rules come out.
 */

import { asRecord, asText, type Json, listOf, objectOf } from '../../../src/core/json.ts';
import { findBrokenTexts, findSchemaViolations } from './toolSchemaRules.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ID = /^[a-zA-Z0-9_-]+$/;
const KNOWN = new Set([
  'model',
  'max_tokens',
  'system',
  'messages',
  'tools',
  'temperature',
  'thinking',
  'output_config',
  'stream',
]);
const MOST_MARKS = 4;
/** Characters of base64: 10 MB for one image of the API. */
const LARGEST_IMAGE = 10 * 1024 * 1024;

/** Only these belong to a prompt that is counted. */
const COUNTED = new Set(['model', 'system', 'messages', 'tools', 'thinking', 'output_config']);

/** Empty when the request is valid. */
export function findMessagesViolations(body: unknown): string[] {
  const request = objectOf(body);
  const found: string[] = [];
  if (request.stream !== true) found.push('stream is not true');
  const most = request.max_tokens;
  if (typeof most !== 'number' || most < 1) found.push('max_tokens: Field required');
  return [...found, ...findInPrompt(request, KNOWN, Number(most))];
}

/** The same for a prompt that is only counted. */
export function findCountViolations(body: unknown): string[] {
  return findInPrompt(objectOf(body), COUNTED, Number.POSITIVE_INFINITY);
}

function findInPrompt(request: Json, known: ReadonlySet<string>, most: number): string[] {
  const found: string[] = [];
  for (const name of Object.keys(request)) if (!known.has(name)) found.push(`${name}: Extra inputs are not permitted`);
  if (!asText(request.model)) found.push('model: Field required');
  const thinking = objectOf(request.thinking);
  if (thinking.type === 'enabled') {
    const budget = Number(thinking.budget_tokens);
    if (!(budget >= 1_024)) found.push('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    if (!(budget < most)) found.push('`max_tokens` must be greater than `thinking.budget_tokens`');
  }
  if (request.temperature !== undefined && ['enabled', 'adaptive'].includes(asText(thinking.type)))
    found.push('`temperature` may only be set to 1 when thinking is enabled');
  for (const tool of listOf(request.tools).map(objectOf)) {
    if (!NAME.test(asText(tool.name))) found.push(`tools: '${asText(tool.name)}' should match pattern`);
    for (const broken of findSchemaViolations(tool.input_schema)) found.push(`tools: input_schema: ${broken}`);
  }
  found.push(...findBrokenTexts(request));
  const turns = listOf(request.messages).map(objectOf);
  if (turns.length === 0) found.push('messages: at least one message is required');
  if (turns[0] && turns[0].role !== 'user') found.push('messages: first message must use the "user" role');
  if (turns.at(-1)?.role === 'assistant') found.push('messages: the conversation must end with a user message');
  checkTurns(turns, asText(thinking.type), found);
  checkMarks([...listOf(request.tools), ...listOf(request.system), ...turns.flatMap(contentOf)].map(objectOf), found);
  return found;
}

const contentOf = ({ content }: Json): readonly unknown[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);

function checkTurns(turns: readonly Json[], thinking: string, found: string[]): void {
  const used = new Set<string>();
  let open: string[] = [];
  for (const [position, turn] of turns.entries()) {
    const at = `messages.${position}`;
    const blocks = contentOf(turn).map(objectOf);
    if (blocks.length === 0) found.push(`${at}: content must not be empty`);
    if (turn.role === turns[position - 1]?.role) found.push(`${at}: roles must alternate`);
    if (turn.role === 'assistant') {
      checkAnswer(blocks, at, used, found);
      open = blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [asText(id)] : []));
      const isLoop = open.length > 0 && !turns.slice(position + 1).some(({ role }) => role === 'assistant');
      if (thinking === 'enabled' && isLoop && !/thinking/.test(asText(blocks[0]?.type)))
        found.push(`${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found something else`);
      continue;
    }
    const answered = blocks.flatMap(({ type, tool_use_id }) => (type === 'tool_result' ? [asText(tool_use_id)] : []));
    const missing = open.filter((id) => !answered.includes(id));
    if (missing.length > 0)
      found.push(`${at}: \`tool_use\` ids were found without \`tool_result\` blocks: ${missing.join(', ')}`);
    for (const id of answered) if (!open.includes(id)) found.push(`${at}: unexpected \`tool_use_id\`: ${id}`);
    if (new Set(answered).size < answered.length) found.push(`${at}: each tool_use must have a single result`);
    const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result');
    if (firstOther >= 0 && blocks.slice(firstOther).some(({ type }) => type === 'tool_result'))
      found.push(`${at}: tool results must come first`);
    for (const block of blocks) checkShown(block, at, found);
    open = [];
  }
}

function checkAnswer(blocks: readonly Json[], at: string, used: Set<string>, found: string[]): void {
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        if (!asText(block.text).trim()) found.push(`${at}: text content blocks must be non-empty`);
        break;
      case 'thinking':
        if (typeof block.thinking !== 'string') found.push(`${at}: thinking: Field required`);
        if (asText(block.signature) !== signatureOf(asText(block.thinking)))
          found.push(`${at}: Invalid \`signature\` in \`thinking\` block`);
        break;
      case 'redacted_thinking':
        if (!asText(block.data)) found.push(`${at}: data: Field required`);
        break;
      case 'tool_use': {
        const id = asText(block.id);
        if (!ID.test(id) || used.has(id)) found.push(`${at}: tool_use id '${id}' is malformed or not unique`);
        if (!NAME.test(asText(block.name))) found.push(`${at}: tool_use name '${asText(block.name)}' is malformed`);
        if (!asRecord(block.input)) found.push(`${at}: input: Input should be a valid dictionary`);
        used.add(id);
        break;
      }
      default:
        found.push(`${at}: '${asText(block.type)}' is not a block of an answer`);
    }
  }
}

function checkShown(block: Json, at: string, found: string[]): void {
  switch (block.type) {
    case 'text':
      if (!asText(block.text).trim()) found.push(`${at}: text content blocks must be non-empty`);
      break;
    case 'image': {
      const { type, data, media_type: mime } = objectOf(block.source);
      if (type !== 'base64' || !/^image\/(png|jpeg|gif|webp)$/.test(asText(mime)))
        found.push(`${at}: bad image source`);
      if (asText(data).length > LARGEST_IMAGE) found.push(`${at}: image exceeds 10 MB maximum`);
      break;
    }
    case 'tool_result': {
      const parts = contentOf(block).map(objectOf);
      for (const part of parts) checkShown(part, at, found);
      if (block.is_error === true && parts.some(({ type }) => type !== 'text'))
        found.push(`${at}: all content must be type "text" if "is_error" is true`);
      break;
    }
    default:
      found.push(`${at}: '${asText(block.type)}' is not a block of a question`);
  }
}

/** In the order of the prompt: tools, system, messages. */
function checkMarks(blocks: readonly Json[], found: string[]): void {
  const marked = blocks.filter(({ cache_control: mark }) => mark !== undefined);
  if (marked.length > MOST_MARKS)
    found.push(`A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`);
  let short = false;
  for (const { type, text, cache_control: mark } of marked) {
    if (type === 'text' && !asText(text).trim()) found.push('cache_control cannot be set for empty text blocks');
    if (/thinking/.test(asText(type))) found.push('cache_control cannot be set on thinking blocks');
    const { type: kind, ttl = '5m' } = objectOf(mark);
    if (kind !== 'ephemeral' || !['5m', '1h'].includes(asText(ttl))) found.push('cache_control: unknown type or ttl');
    if (ttl === '1h' && short) found.push('a ttl=`1h` cache_control block must not come after a ttl=`5m` block');
    short ||= ttl === '5m';
  }
}

/** The server's signature of its thinking: a changed thought does not match it. */
export function signatureOf(thinking: string): string {
  let hash = 7;
  for (const character of thinking) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return `sig_${hash.toString(16)}_${thinking.length}`;
}
