/** Serves VS Code to a browser until Ctrl+C. */

import { once } from 'node:events';
import { startCodeServer, workbenchUrl } from '../host/codeServer.ts';
import { OPENER, ROOT } from '../paths.ts';

export interface Session {
  readonly folder: string;
  readonly userDataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
}

export async function openServer({ folder, userDataDir, env, port }: Session): Promise<void> {
  const server = await startCodeServer({ port, userDataDir, linked: [ROOT, OPENER], env, keepHome: true });
  console.log(`\nVS Code with Palimpsest: ${workbenchUrl(server, { folder })}\nPress Ctrl+C to stop.`);
  const stopped = new Promise<void>((resolve) => {
    // A terminal and npm may both pass on the same Ctrl+C. The second one must not interrupt a clean end.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  await Promise.race([stopped, once(server.process, 'exit')]);
  await server.stop();
}
