/** Why a command did not run in the sandbox: nothing of it has happened. */

import { ToldError } from '../../core/errors.ts';

export class SandboxRefusal extends ToldError {
  override readonly name = 'SandboxRefusal';
}
