/** Says words of the core and the providers in the person's language. */

import * as vscode from 'vscode';
import { tell, type Words } from '../../core/words.ts';

export function say(said: Words): string {
  return tell(said, vscode.l10n.t);
}
