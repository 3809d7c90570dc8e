/** The scripted model server of the tests, running for `npm start -- --scripted`. */

export interface ScriptedModel {
  readonly baseUrl: string;
  readonly name: string;
  stop(): Promise<void>;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  throw new Error('not yet');
}
