/** Words of the core and the providers in the language of the editor. */

import * as vscode from 'vscode';
import { joinSentences, type Words } from '../core/words.ts';

export function say(said: Words): string {
  return joinSentences(said.map(({ text, values }) => vscode.l10n.t(text, ...values)));
}
