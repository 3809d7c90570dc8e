/** Why a command did not run in the sandbox: nothing of it has happened. */

import { inEnglish, type Words } from '../../core/words.ts';

export class SandboxRefusal extends Error {
  override readonly name = 'SandboxRefusal';
  readonly reason: Words;

  constructor(reason: Words) {
    super(inEnglish(reason));
    this.reason = reason;
  }
}
