/**
 * The rules of a stateless responses request, as OpenAI enforces them. Pure: a request's body goes in, the broken rules
 * come out.
 */

import { asText, isWholeObject, type Json, listOf, objectOf } from '../../../src/core/json.ts';
import { findBrokenTexts, findSchemaViolations } from './toolSchemaRules.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const KNOWN = new Set([
  'model',
  'instructions',
  'input',
  'tools',
  'tool_choice',
  'reasoning',
  'max_output_tokens',
  'temperature',
  'prompt_cache_key',
  'include',
  'store',
  'stream',
]);

/** Empty when the request is valid. */
export function findResponsesViolations(body: unknown): string[] {
  const request = objectOf(body);
  const found: string[] = [];
  for (const name of Object.keys(request)) if (!KNOWN.has(name)) found.push(`unknown parameter '${name}'`);
  if (!asText(request.model)) found.push('model is missing');
  if (request.stream !== true) found.push('stream is not true');
  if (request.store !== false) found.push('store is not false');
  for (const tool of listOf(request.tools).map(objectOf)) {
    if (tool.type !== 'function' || !NAME.test(asText(tool.name)))
      found.push(`tool '${asText(tool.name)}' is malformed`);
    for (const broken of findSchemaViolations(tool.parameters)) found.push(`Invalid schema for function: ${broken}`);
    if (tool.strict !== false) found.push(`tool '${asText(tool.name)}' is strict`);
  }
  const input = listOf(request.input).map(objectOf);
  if (input.length === 0) found.push('input is missing');
  found.push(...findBrokenTexts(request));
  checkInput(input, found);
  return found;
}

function checkInput(input: readonly Json[], found: string[]): void {
  const open = new Set<string>();
  const seen = new Set<string>();
  let last: string = '';
  for (const [position, item] of input.entries()) {
    const at = `input[${position}]`;
    const type = asText(item.type);
    if (last === 'reasoning' && !isOutput(item)) found.push(`${at}: reasoning without its required following item`);
    if (open.size > 0 && type === 'message' && item.role !== 'assistant')
      found.push(`${at}: calls ${[...open].join(', ')} are not answered`);
    switch (type) {
      case 'message':
        checkMessage(item, at, found);
        break;
      case 'reasoning':
        if (!asText(item.encrypted_content)) found.push(`${at}: Item with id '${asText(item.id)}' not found`);
        if (!Array.isArray(item.summary)) found.push(`${at}: reasoning without a summary`);
        break;
      case 'function_call': {
        const id = asText(item.call_id);
        if (!id || seen.has(id)) found.push(`${at}: call '${id}' is empty or used twice`);
        if (!NAME.test(asText(item.name))) found.push(`${at}: name '${asText(item.name)}' is not allowed`);
        if (!isWholeObject(asText(item.arguments))) found.push(`${at}: arguments of '${id}' are no JSON object`);
        seen.add(id);
        open.add(id);
        break;
      }
      case 'function_call_output':
        if (!open.delete(asText(item.call_id))) found.push(`${at}: No tool call found for '${asText(item.call_id)}'`);
        if (typeof item.output !== 'string')
          checkMessage({ role: 'user', content: item.output }, `${at}.output`, found);
        break;
      default:
        found.push(`${at}: unknown type '${type}'`);
    }
    last = type;
  }
  if (open.size > 0) found.push(`No tool output found for ${[...open].join(', ')}`);
  if (last === 'reasoning') found.push('reasoning without its required following item');
}

function isOutput({ type, role }: Json): boolean {
  return type === 'function_call' || type === 'reasoning' || (type === 'message' && role === 'assistant');
}

function checkMessage({ role, content }: Json, at: string, found: string[]): void {
  const expected = role === 'assistant' ? ['output_text'] : ['input_text', 'input_image'];
  const parts = listOf(content).map(objectOf);
  if (parts.length === 0) found.push(`${at}: a message without content`);
  for (const part of parts) {
    if (!expected.includes(asText(part.type)))
      found.push(`${at}: ${String(part.type)} in a message of ${String(role)}`);
    if (part.text !== undefined && !asText(part.text).isWellFormed()) found.push(`${at}: half a surrogate pair`);
    if (part.text === '') found.push(`${at}: empty text`);
  }
}
