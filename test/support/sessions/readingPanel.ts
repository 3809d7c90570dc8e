/**
 * A session that reads a file in each turn, with the panel's frames over it: the agent, the rows and what is posted are the
 * product's own, and the model answers at once.
 */

import type { ModelClient } from '../../../src/core/model/modelClient.ts';
import { PanelFrames } from '../../../src/host/panel/panelFrames.ts';
import { ShownSession } from '../../../src/node/session/shownSession.ts';
import type { PanelState, ToPanel } from '../../../src/protocol/messages.ts';
import { READY } from '../panelScenes.ts';
import type { TestAgentOptions } from '../testAgent.ts';
import { testConversation } from '../testConversation.ts';

export interface ReadingPanelOptions {
  readonly turns: number;
  readonly window: number;
  /** Content of a turn's file. */
  readonly fileText: (turn: number) => string;
  readonly agent?: Pick<TestAgentOptions, 'session' | 'compaction'>;
  readonly state?: (session: ShownSession) => PanelState;
  readonly onFrame: (frame: readonly ToPanel[]) => void;
}

export interface ReadingPanel {
  readonly session: ShownSession;
  readonly frames: PanelFrames;
  /** Runs the next turn to its end, and posts what is left. */
  readonly turn: () => Promise<void>;
}

export function readingPanel({ turns, window, fileText, agent, state, onFrame }: ReadingPanelOptions): ReadingPanel {
  const files = Object.fromEntries(Array.from({ length: turns }, (_, nth) => [`f${nth}.txt`, fileText(nth)]));
  let nth = 0;
  const client: ModelClient = {
    endpoint: 'reading:',
    async *stream({ messages, toolChoice }) {
      const reads = toolChoice !== 'none' && messages.at(-1)?.role !== 'tool';
      const text = reads ? 'I read what comes next.' : `File ${nth} says what the one before it said.`;
      for (const delta of text.match(/.{1,8}/gsu) ?? []) yield { type: 'text', delta };
      const call = { id: `call_${nth}`, name: 'read_file', arguments: JSON.stringify({ path: `f${nth}.txt` }) };
      yield {
        type: 'done',
        text,
        toolCalls: reads ? [call] : [],
        finish: reads ? 'toolCalls' : 'stop',
        usage: { input: Math.round(JSON.stringify(messages).length / 4), cached: 0, output: 20, reasoning: 0 },
      };
    },
  };
  const session = new ShownSession(
    async (_id, _mode, onChange) =>
      (await testConversation({ client, model: 'reader', window }, { ...agent, files }, onChange)).conversation,
    () => undefined,
    async () => false,
  );
  const source = {
    state: () => state?.(session) ?? READY,
    rows: (before: string | null, count: number) => session.rows(before, count),
    row: (id: string) => session.row(id),
    kept: () => null,
  };
  const frames = new PanelFrames(source, onFrame);
  session.onDidChange((change) => frames.take(change));
  frames.show(60);
  const turn = async () => {
    await session.send(`Read file ${nth}`);
    frames.flush();
    nth++;
  };
  return { session, frames, turn };
}
