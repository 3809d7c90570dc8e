/** Kimi CLI's `context.jsonl`: chat messages, with lines of its own for usage, checkpoints and the system prompt. */

import { asText, type Json, listOf, objectOf } from '../../json.ts';
import type { Recorded } from '../recorded.ts';
import { argumentsOf, contentOf, countOf } from './json.ts';

export function readKimi(lines: readonly Json[]): Recorded[] {
  const messages: Recorded[] = [];
  for (const line of lines) {
    const parts = listOf(line.content).map(objectOf);
    const said = parts.filter(({ type }) => type !== 'think');
    const text = typeof line.content === 'string' ? line.content : contentOf(said);
    // Older versions keep the summary in the assistant's role.
    if ((line.role === 'user' || line.role === 'assistant') && isSummary(text)) {
      messages.push({ role: 'compaction', context: [{ role: 'user', kind: 'summary', text }] });
      continue;
    }
    switch (line.role) {
      case 'system':
      case '_system_prompt':
        messages.push({ role: 'system', text });
        break;
      case 'user':
        messages.push({ role: 'user', text, ...kindOf(text) });
        break;
      case 'assistant': {
        const reasoning = parts.flatMap(({ type, think }) => (type === 'think' ? [asText(think)] : [])).join('\n\n');
        const toolCalls = listOf(line.tool_calls).map((call) => {
          const { id, function: f } = objectOf(call);
          return { id: asText(id), name: asText(objectOf(f).name), arguments: argumentsOf(objectOf(f).arguments) };
        });
        messages.push({
          role: 'assistant',
          text,
          ...(reasoning ? { reasoning } : {}),
          ...(toolCalls.length > 0 ? { toolCalls } : {}),
        });
        break;
      }
      case 'tool':
        messages.push({
          role: 'tool',
          toolCallId: asText(line.tool_call_id),
          text,
          ...(isFailure(text) ? FAILED : {}),
        });
        break;
      case '_usage': {
        // It counts the whole context after the newest answer; how much of it was cached is not recorded.
        const at = messages.findLastIndex(({ role }) => role === 'assistant');
        const last = messages[at];
        const input = countOf(line.token_count);
        if (input > 0 && last?.role === 'assistant') {
          messages[at] = { ...last, usage: { input, cached: 0, output: 0, reasoning: 0 }, model: 'imported' };
        }
        break;
      }
      default:
        break;
    }
  }
  return messages;
}

/** Kimi CLI wraps what it tells the model itself. */
function kindOf(text: string): { readonly kind?: 'reminder' } {
  return /^<system/.test(text.trimStart()) ? { kind: 'reminder' } : {};
}

const isSummary = (text: string) => /^\s*<system>Previous context has been compacted/.test(text);
const isFailure = (text: string) => /^\s*<system>ERROR:/.test(text);
const FAILED = { isError: true } as const;
