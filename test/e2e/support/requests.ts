/** What reached a model server. */

import { asText, type Json, objectOf } from '../../../src/core/json.ts';
import type { ModelServer } from '../../support/modelServer/modelServer.ts';
import { isSummaryRequest, textOfContent } from '../../support/modelServer/summaryRequest.ts';

export interface Sent {
  readonly body: Json;
  readonly messages: readonly { readonly role: string; readonly text: string; readonly whole: Json }[];
  /** All of it, for what may stand anywhere. */
  readonly text: string;
}

/** The newest request of a turn. */
export function lastTurn(server: ModelServer): Sent {
  return newest(server, (body) => !isSummaryRequest(body));
}

/** The newest request for a summary. */
export function lastSummary(server: ModelServer): Sent {
  return newest(server, isSummaryRequest);
}

function newest({ requests }: ModelServer, is: (body: Json) => boolean): Sent {
  const body = requests.findLast((request) => is(request.body))?.body;
  if (!body) throw new Error('No such request reached the server.');
  const list = Array.isArray(body.messages) ? body.messages : [];
  const messages = list.map((each) => {
    const whole = objectOf(each);
    return { role: asText(whole.role), text: textOfContent(whole.content), whole };
  });
  return { body, messages, text: messages.map(({ text }) => text).join('\n') };
}
