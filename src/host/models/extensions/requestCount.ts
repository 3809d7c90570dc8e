/**
 * Counts a request by the model's own tokenizer while its answer streams, and keeps each message's count, so that a later
 * request counts only what is new. Nobody waits for it: what is not ready when the answer ends is not used.
 */

import type * as vscode from 'vscode';
import { hashText } from '../../../providers/hashText.ts';

/** Counts kept; a long session has some hundred messages. */
const MOST_KEPT = 5_000;

export interface Counting {
  /** Tokens of the whole request; null while they are not known. */
  readonly tokens: number | null;
}

export class RequestCounts {
  readonly #kept = new Map<string, number>();

  begin(
    model: vscode.LanguageModelChat,
    messages: readonly vscode.LanguageModelChatMessage[],
    tools: readonly vscode.LanguageModelChatTool[],
    token: vscode.CancellationToken,
  ): Counting {
    const counting: { tokens: number | null } = { tokens: null };
    const texts = tools.length > 0 ? [JSON.stringify(tools)] : [];
    this.#count(model, [...texts, ...messages], token).then(
      (tokens) => {
        counting.tokens = tokens;
      },
      // A tokenizer that fails leaves us with our own estimate.
      () => undefined,
    );
    return counting;
  }

  /** One after another, so that the extension that is answering is not held up. Null when it ended before. */
  async #count(
    model: vscode.LanguageModelChat,
    parts: readonly (string | vscode.LanguageModelChatMessage)[],
    token: vscode.CancellationToken,
  ): Promise<number | null> {
    let sum = 0;
    for (const part of parts) {
      const key = `${model.vendor}/${model.id} ${hashText(typeof part === 'string' ? part : JSON.stringify(part))}`;
      let tokens = this.#kept.get(key);
      if (tokens === undefined) {
        if (token.isCancellationRequested) return null;
        tokens = await model.countTokens(part, token);
        if (!Number.isFinite(tokens) || tokens < 0) return null;
        if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
        this.#kept.set(key, tokens);
      }
      sum += tokens;
    }
    return sum > 0 ? sum : null;
  }
}
