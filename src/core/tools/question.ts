/** Questions that only the person can answer, asked by a call or by the agent itself. */

import type { Words } from '../words.ts';

/** Asked by a call that only the person can answer, or by the agent itself. */
export type Question =
  /** Whether something may go on. `yes` names the answer that approves. */
  | {
      readonly kind: 'permit';
      readonly text: Words;
      readonly yes: Words;
      /** The answer that approves from now on. */
      readonly always?: Words;
      /** The text that would be sent: foreign, of several lines. */
      readonly detail?: string;
    }
  /** Markdown that the person may change before approval. */
  | { readonly kind: 'plan'; readonly text: string }
  | {
      readonly kind: 'choice';
      /** A sentence of the product, or foreign text. */
      readonly text: Words | string;
      /** Empty: the person answers in their own words. */
      readonly choices: readonly { readonly label: string; readonly description: string }[];
      /** The answer may be a password or the like: it is not shown while it is written, nor kept. */
      readonly secret?: boolean;
    };

export type QuestionAnswer =
  /** `changed` is the plan as the person changed it; null when unchanged. `always`: from now on. */
  | { readonly kind: 'approve'; readonly changed: string | null; readonly always?: true | undefined }
  /** The label of a choice, or the person's own words. */
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'refuse'; readonly reason: string };

export interface Questioner {
  /** Stopping the turn counts as a refusal. */
  ask(question: Question, signal: AbortSignal): Promise<QuestionAnswer>;
}
