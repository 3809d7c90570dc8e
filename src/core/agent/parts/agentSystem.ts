/** Clock, randomness and other services of the machine. */

import type { Clock, Timers } from '../../clock.ts';
import type { Crypto } from '../../crypto.ts';
import type { Log } from '../../log.ts';

export interface AgentSystem {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly crypto: Crypto;
  readonly log: Log;
}
