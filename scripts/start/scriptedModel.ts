/** The endless scripted model server of the tests, for `npm start -- --scripted`; loaded only then. */

export interface ScriptedModel {
  readonly baseUrl: string;
  readonly name: string;
  /** Tokens. Small, so that a few turns lead to a compaction. */
  readonly window: number;
  stop(): Promise<void>;
}

const WINDOW = 16_000;
/** Slow enough that streaming can be seen. */
const PIECE_DELAY_MS = 15;

export async function startScriptedModel(): Promise<ScriptedModel> {
  const script = await import('../../test/support/modelServer/modelServerScript.ts');
  const server = await script.startScriptedModel({ window: WINDOW, pieceDelayMs: PIECE_DELAY_MS });
  return { baseUrl: server.baseUrl, name: script.SCRIPTED_MODEL, window: WINDOW, stop: () => server.close() };
}
