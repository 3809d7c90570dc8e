/**
 * Turns a stretch of history into one summary text with the `llm` port. What does not fit the model is taken in chunks,
 * each chunk merged into the notes so far, so that a summary is never the summary of a summary alone (C15).
 */

import type { ContextMessage, SummaryModel } from '../../../api/index.ts';
import { chunkMessages } from './serialise.ts';
import type { StylePrompt } from './summaryPrompts.ts';

export interface SummaryRequest {
  readonly style: StylePrompt;
  /** Replaces the style's task when not empty. */
  readonly customPrompt?: string;
  readonly instructions?: string;
  readonly outputTokenMax: number;
  readonly signal: AbortSignal;
  readonly count: (text: string) => number;
  readonly report: (text: string, fraction?: number) => void;
}

const MERGE =
  'Notes of what came before stand first. Write one text that replaces them: keep every fact of the notes that still holds, add what is new, drop what was overtaken.';
const SMALLEST_CHUNK = 256;

/** Rejects with `ModelError`, also when the answer holds no summary. Earlier summaries among `messages` are merged. */
export async function summariseHistory(
  llm: SummaryModel,
  messages: readonly ContextMessage[],
  request: SummaryRequest,
): Promise<string> {
  const { style, count, report, signal } = request;
  const task = [request.customPrompt?.trim() || style.task, askFor(request.instructions)].filter(Boolean).join('\n\n');
  const fixed = count(style.system) + count(task) + count(MERGE) + 100;
  const earlier = messages.filter(isSummary).map((message) => message.text);
  const rest = messages.filter((message) => !isSummary(message));
  let notes = earlier.join('\n\n');
  const whole = llm.maxInputTokens - fixed - count(notes);
  let chunks = chunkMessages(rest, Math.max(SMALLEST_CHUNK, whole), count);
  if (chunks.length > 1) {
    // The notes so far are read again with every chunk, so they take their share of the room.
    const share = Math.min(request.outputTokenMax, llm.maxInputTokens >> 2);
    chunks = chunkMessages(rest, Math.max(SMALLEST_CHUNK, whole - share), count);
  }
  for (const [i, chunk] of chunks.entries()) {
    report(chunks.length > 1 ? `Summarising part ${i + 1} of ${chunks.length}` : 'Summarising', i / chunks.length);
    const prompt = [
      task,
      notes && `${MERGE}\n\n<notes>\n${notes}\n</notes>`,
      `<conversation>\n${chunk}\n</conversation>`,
    ];
    const answer = await llm.complete({
      system: style.system,
      prompt: prompt.filter(Boolean).join('\n\n'),
      maxOutputTokens: request.outputTokenMax,
      signal,
    });
    notes = extractSummary(answer.text, style.tag);
  }
  report('Summary done', 1);
  return notes;
}

/** The inside of `<tag>`, also when its end was cut off; the whole text where the model left the tags out. */
export function extractSummary(text: string, tag: string | undefined): string {
  if (!tag) return text.trim();
  const start = text.indexOf(`<${tag}>`);
  if (start < 0) return text.trim();
  const inside = text.slice(start + tag.length + 2);
  const end = inside.lastIndexOf(`</${tag}>`);
  return (end < 0 ? inside : inside.slice(0, end)).trim();
}

const isSummary = (message: ContextMessage) => message.role === 'user' && message.kind === 'summary';

function askFor(instructions: string | undefined): string {
  return instructions?.trim() ? `The user asks for this to be kept in mind: ${instructions.trim()}` : '';
}
