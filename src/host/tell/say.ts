/** Words of the core, the providers and our documents in the language of the editor. */

import * as vscode from 'vscode';
import { tell, type Words } from '../../core/words.ts';

export function say(said: Words): string {
  return tell(said, vscode.l10n.t);
}
