/** Words of the core, the providers and our documents in the language of the editor. */

import * as vscode from 'vscode';
import { joinSentences, type Words } from '../../core/words.ts';

export function say(said: Words): string {
  return joinSentences(said.map(({ text, values }) => vscode.l10n.t(text, ...values)));
}

/** `vscode.l10n.t`, as documents that are written without an editor take it: called `t`, with a literal. */
export type Translate = (text: string, ...values: (string | number)[]) => string;
