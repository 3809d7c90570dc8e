/** Why a command did not run in the sandbox: nothing of it has happened. */

import { UserFacingError } from '../../core/errors.ts';

export class SandboxRefusal extends UserFacingError {
  override readonly name = 'SandboxRefusal';
}
