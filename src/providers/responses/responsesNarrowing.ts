/**
 * What one model takes in the responses form. It starts from everything and is narrowed when a refusal names a parameter,
 * for the client's life. Pure; it only ever narrows, so adapting comes to an end.
 */

import { isRefusedChoice, isUnknownParameter, refusesEffort } from '../openai/dialect.ts';

export interface ResponsesNarrowing {
  /** The system prompt is sent as `instructions`, else as the first message (xAI asks for it). */
  readonly instructions: boolean;
  readonly effort: boolean;
  /** A summary of the reasoning that a person may read is asked for. */
  readonly summary: boolean;
  /** Encrypted reasoning is asked for. */
  readonly encrypted: boolean;
  /** How reasoning goes back. Without ids: some servers look an id up, although nothing is stored. */
  readonly items: 'whole' | 'withoutIds' | 'none';
  readonly outputLimit: boolean;
  readonly temperature: boolean;
  readonly cacheKey: boolean;
  /** `tool_choice` is sent. Where it is not, the request's own words forbid the tools. */
  readonly toolChoice: boolean;
  /** A result may hold images. Where it may not, they follow in a message. */
  readonly resultParts: boolean;
}

export function beginNarrowing(model: string): ResponsesNarrowing {
  const thinks = !/(^|\/)(gpt-(3|4)|chatgpt-)/i.test(model);
  return {
    instructions: true,
    effort: thinks,
    summary: thinks,
    encrypted: thinks,
    items: 'whole',
    outputLimit: true,
    temperature: true,
    cacheKey: true,
    toolChoice: true,
    resultParts: true,
  };
}

/** The narrower form that answers a refusal (its whole text), or null when the refusal is about something else. */
export function narrowResponses(narrowing: ResponsesNarrowing, refusal: string): ResponsesNarrowing | null {
  if (narrowing.items === 'whole' && /\bItem\b.{0,20}\bid\b.{0,120}\bnot found\b/i.test(refusal)) {
    return { ...narrowing, items: 'withoutIds' };
  }
  if (narrowing.items !== 'none' && REFUSED_ITEMS.test(refusal)) return { ...narrowing, items: 'none' };
  if (narrowing.encrypted && (REFUSED_INCLUDE.test(refusal) || isUnknownParameter(refusal, 'include'))) {
    return { ...narrowing, encrypted: false };
  }
  if (narrowing.instructions && isUnknownParameter(refusal, 'instructions')) {
    return { ...narrowing, instructions: false };
  }
  if (narrowing.summary && (/verified to (generate|use) reasoning summar/i.test(refusal) || refusesSummary(refusal))) {
    return { ...narrowing, summary: false };
  }
  if (narrowing.effort && refusesEffort(refusal)) return { ...narrowing, effort: false };
  if ((narrowing.effort || narrowing.summary) && isUnknownParameter(refusal, 'reasoning')) {
    return { ...narrowing, effort: false, summary: false };
  }
  if (narrowing.temperature && isUnknownParameter(refusal, 'temperature')) return { ...narrowing, temperature: false };
  if (narrowing.outputLimit && isUnknownParameter(refusal, 'max_output_tokens')) {
    return { ...narrowing, outputLimit: false };
  }
  if (narrowing.toolChoice && isRefusedChoice(refusal)) return { ...narrowing, toolChoice: false };
  if (narrowing.cacheKey && isUnknownParameter(refusal, 'prompt_cache_key')) return { ...narrowing, cacheKey: false };
  if (narrowing.resultParts && REFUSED_PARTS.test(refusal)) return { ...narrowing, resultParts: false };
  return null;
}

/** Another key, another organisation, a server that makes nothing of it: the items are of no use there. */
const REFUSED_ITEMS =
  /encrypted.content.{0,120}(could not be (verified|decrypted|parsed)|invalid)|invalid_encrypted_content|(reasoning|Item '?rs_).{0,160}without its required|\bItem\b.{0,20}\bid\b.{0,120}\bnot found\b/i;
/** A server that takes a text alone as the result of a call. */
const REFUSED_PARTS = /input\[?\.?\d+\]?\.(function_call_output\.)?output\b|function_call_output.{0,120}(string|type)/i;
const REFUSED_INCLUDE = /encrypted content is not supported|reasoning\.encrypted_content.{0,80}not supported/i;

function refusesSummary(refusal: string): boolean {
  return isUnknownParameter(refusal, 'reasoning\\.summary|generate_summary');
}
