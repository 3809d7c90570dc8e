/** Resources and prompts of MCP servers as text. Nothing is assumed about their shape. */

import { asRecord, asText, listOf } from '../json.ts';
import { readMcpResult } from './readMcpResult.ts';

export function readMcpResource(result: unknown): string {
  const parts = listOf(asRecord(result)?.contents).map((resource) => ({ type: 'resource', resource }));
  return readMcpResult({ content: parts }).text;
}

/** The messages of a prompt one below the other; where there are several, with who speaks. */
export function readMcpPrompt(result: unknown): string {
  const messages = listOf(asRecord(result)?.messages);
  const texts = messages.map((message) => {
    const { role, content } = asRecord(message) ?? {};
    const { text } = readMcpResult({ content: Array.isArray(content) ? content : [content] });
    return messages.length > 1 ? `[${asText(role).slice(0, 20)}]\n${text}` : text;
  });
  return texts.join('\n\n');
}
