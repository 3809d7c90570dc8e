/**
 * Turns a call's outcome into the message that is journaled. Where the settings say so, a large result is offloaded as it
 * arrives; what the model read back on purpose is not, or it could never be read.
 */

import { offloadOnReturn } from '../compaction/draft/offload.ts';
import type { ToolCall, ToolMessage } from '../context/message.ts';
import { messageOf } from '../errors.ts';
import type { ToolOutcome } from '../tools/tool.ts';
import type { TurnPorts } from './turn.ts';

export async function toToolMessage(
  call: ToolCall,
  outcome: ToolOutcome,
  durationMs: number,
  ports: Pick<TurnPorts, 'journal' | 'toolPorts' | 'settings' | 'timers'>,
): Promise<ToolMessage> {
  const message: ToolMessage = {
    role: 'tool',
    toolCallId: call.id,
    toolName: call.name,
    text: outcome.text,
    ...(outcome.attachments ? { attachments: outcome.attachments } : {}),
    ...(outcome.isError ? { isError: true } : {}),
    ...(outcome.ephemeral ? { ephemeral: outcome.ephemeral } : {}),
    ...(outcome.change ? { change: outcome.change } : {}),
    ...(outcome.truncation ? { truncation: outcome.truncation } : {}),
    durationMs,
  };
  if (outcome.readBack) return message;
  const settings = ports.settings().offload;
  const { nonce } = ports.journal.session;
  try {
    return (
      (await offloadOnReturn(message, settings, { blobs: ports.toolPorts.blobs, nonce, timers: ports.timers })) ??
      message
    );
  } catch (thrown) {
    // A full disk must not cost the model the result: it stays where it is, and says why.
    return { ...message, text: `${message.text}\n[not offloaded: ${messageOf(thrown)}]` };
  }
}
