/**
 * What users of coding agents complain about most in context and compaction, each as a promise; `test/rows.json` lists
 * them. A test begins with notes that fill a small window, a scripted model, and otherwise what is shipped.
 */

import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';
import { answerSummary, isSummaryRequest } from '../../support/modelServer/summaryRequest.ts';
import type { Host } from '../support/host.ts';
import { ask } from '../support/panel.ts';
import { test as base } from '../support/scenario.ts';
import type { SteeredModel } from '../support/steeredModel.ts';

export { expect } from '../support/scenario.ts';

/** In tokens: five of the notes and the instructions do not fit. */
export const WINDOW = 16_000;
export const note = (nth: number) => `note${nth}.md`;
const NOTES = Object.fromEntries(
  Array.from({ length: 9 }, (_, nth) => [
    note(nth),
    Array.from({ length: 245 }, (_, line) => `- note ${nth}.${line}: retries wait longer each time`).join('\n'),
  ]),
);

export interface Session {
  readonly model: SteeredModel;
  readonly host: Host;
  /** Asks `text`; the model reads those notes, a request each, and says `answer`. */
  read(text: string, notes: readonly number[], answer: string): Promise<void>;
}

export interface Served {
  readonly server: ModelServer;
  /** Turns are answered in this order. */
  readonly planned: Reply[];
  /** What a request for a summary is answered; null: by a script that lists what the conversation names. */
  summary: Reply | null;
}

interface Given {
  /** A session with the shipped strategy; the model's window is `WINDOW` unless the settings say otherwise. */
  readonly begin: (
    settings?: Readonly<Record<string, unknown>>,
    files?: Readonly<Record<string, string>>,
  ) => Promise<Session>;
  /** A server with these models. */
  readonly serve: (...models: readonly string[]) => Promise<Served>;
  /** A session whose endpoints the settings name. */
  readonly open: (settings: Readonly<Record<string, unknown>>) => Promise<Host>;
}

export const reading = (nth: number): Reply => ({
  kind: 'answer',
  text: `Reading ${note(nth)}.`,
  calls: [{ name: 'read_file', arguments: { path: note(nth) } }],
});

export const saying = (text: string): Reply => ({ kind: 'answer', text });

export const test = base.extend<Given>({
  begin: async ({ startHost, startSteeredModel, makeFolder }, use) => {
    await use(async (settings = {}, files = {}) => {
      const model = await startSteeredModel();
      const host = await startHost({
        share: true,
        folder: makeFolder({ ...NOTES, ...files }),
        settings: { ...model.settings, 'palimpsest.contextWindow': WINDOW, ...settings },
      });
      return {
        model,
        host,
        async read(text, notes, answer) {
          model.planReplies(...notes.map(reading), saying(answer));
          await ask(host.panel, text);
          await host.panel.locator('.row.assistant', { hasText: answer }).last().waitFor();
        },
      };
    });
  },
  serve: async ({ atEnd }, use) => {
    await use(async (...models) => {
      const served: { planned: Reply[]; summary: Reply | null } = { planned: [], summary: null };
      const server = await startModelServer({
        models: models.map((id) => ({ id })),
        script: ({ body }) => {
          if (!isSummaryRequest(body)) return served.planned.shift() ?? saying('Nothing was planned.');
          return served.summary ?? saying(answerSummary(body));
        },
      });
      atEnd(() => server.close());
      return Object.assign(served, { server });
    });
  },
  open: async ({ startHost, makeFolder }, use) => {
    await use((settings) => startHost({ share: true, folder: makeFolder(NOTES), settings }));
  },
});
