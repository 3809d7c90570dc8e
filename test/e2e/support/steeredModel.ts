/**
 * A model server whose turns a scenario writes as it goes. Summaries are answered by rule, or fail while the scenario
 * says so; what was planned does not depend on what the context still holds, so that compaction cannot change a turn.
 */

import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';
import { SCRIPTED_MODEL } from '../../support/modelServer/modelServerScript.ts';
import { answerSummary, isSummaryRequest } from '../../support/modelServer/summaryRequest.ts';

export interface SteeredModel {
  readonly server: ModelServer;
  /** User settings that make it the model of every session. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** True: requests for a summary are answered with an error of the server. */
  failSummaries: boolean;
  /** What a request for a summary is answered; null: by a script that lists what the conversation names. */
  summary: string | null;
  /** Requests for a summary so far. */
  readonly summaries: number;
  /** The next turn reads `file` so many times, a request each, and ends with `answer`. */
  plan(file: string, times: number, answer: string): void;
  /** The next turn is answered so, request by request. */
  planReplies(...replies: readonly Reply[]): void;
  /** The next turn makes one call, and ends with `answer`. */
  planCall(name: string, input: Readonly<Record<string, unknown>>, answer: string): void;
  /** Nothing is planned any more. */
  forget(): void;
}

/** Settings of a person who set up this server, with this model for new sessions. */
export const serveModel = ({ baseUrl }: Pick<ModelServer, 'baseUrl'>, model: string) => ({
  'palimpsest.endpoints': [{ id: 'local', baseUrl, models: [model] }],
  'palimpsest.model': model,
});

/** `window` in tokens is enforced by the server and told to nobody; left out, it takes everything. */
export async function startSteeredModel(window?: number): Promise<SteeredModel> {
  const planned: Reply[] = [];
  const state = { failSummaries: false, summary: null as string | null, summaries: 0 };
  const server = await startModelServer({
    models: [{ id: SCRIPTED_MODEL }],
    ...(window === undefined ? {} : { window }),
    script: ({ body }) => {
      if (!isSummaryRequest(body)) return planned.shift() ?? { kind: 'answer', text: 'Nothing was planned.' };
      state.summaries++;
      if (state.failSummaries) return { kind: 'error', status: 500, body: { error: { message: 'Out of order.' } } };
      if (state.summary !== null) return { kind: 'answer', text: state.summary };
      return { kind: 'answer', text: answerSummary(body) };
    },
  });
  return {
    server,
    settings: {
      ...serveModel(server, SCRIPTED_MODEL),
      'palimpsest.compaction.summary.retries': 0,
    },
    get failSummaries() {
      return state.failSummaries;
    },
    set failSummaries(fail) {
      state.failSummaries = fail;
    },
    get summary() {
      return state.summary;
    },
    set summary(text) {
      state.summary = text;
    },
    get summaries() {
      return state.summaries;
    },
    plan(file, times, answer) {
      const call = { name: 'read_file', arguments: { path: file } };
      for (let i = 0; i < times; i++) planned.push({ kind: 'answer', text: `Reading ${file}.`, calls: [call] });
      planned.push({ kind: 'answer', text: answer });
    },
    planReplies(...replies) {
      planned.push(...replies);
    },
    planCall(name, input, answer) {
      planned.push({ kind: 'answer', text: `Calling ${name}.`, calls: [{ name, arguments: input }] });
      planned.push({ kind: 'answer', text: answer });
    },
    forget() {
      planned.length = 0;
    },
  };
}
