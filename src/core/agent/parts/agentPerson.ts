/** The person as an agent knows them: whom it asks, and who writes to it while it works. */

import type { CompactorPorts } from '../../compaction/compactor.ts';
import type { UserMessage } from '../../context/message.ts';
import type { Approver } from '../../tools/approvals.ts';
import type { Questioner } from '../../tools/question.ts';

/** A message that the person sends while a turn runs. */
export interface SteeringMessage {
  readonly message: UserMessage;
  /** The person agreed to reading mentioned files that may hold secrets. */
  readonly mentionsSecrets: boolean;
}

export interface AgentPerson {
  readonly approver: Approver;
  readonly consent: CompactorPorts['consent'];
  /** Messages since the turn's last request, for the model to read before its next one. Default: none. */
  readonly steering?: () => readonly SteeringMessage[];
  /** Answers the model's questions. Default: it cannot ask. */
  readonly questions?: Questioner;
}
