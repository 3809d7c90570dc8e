/** Runs one call of a tool against memory, from the model's arguments to the result the model would see. */

import { prepareCall, runCall } from '../../../src/core/tools/callTool.ts';
import type { TruncationLimits } from '../../../src/core/tools/text/cutText.ts';
import type { PreparedCall, ToolOutcome, ToolPorts } from '../../../src/core/tools/tool.ts';
import { TOOLS } from '../../../src/core/tools/toolList.ts';
import { createMemoryFiles, type MemoryFiles } from '../../support/ports/memoryFiles.ts';
import { createMemoryShell, type MemoryShell } from '../../support/ports/memoryShell.ts';
import { memoryBlobs } from '../../support/ports/memoryStore.ts';

export const NONCE = 'f00d';

/** No tool that works on the folder looks at its session. */
const NO_SESSION = {} as ToolPorts['session'];

export interface Workbench extends ToolPorts {
  readonly files: MemoryFiles;
  readonly shell: MemoryShell;
}

export function createWorkbench(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  shell: MemoryShell = createMemoryShell(),
): Workbench {
  return {
    files: createMemoryFiles(files),
    shell,
    blobs: memoryBlobs(),
    clock: { now: () => 0 },
    session: NO_SESSION,
  };
}

export interface Use {
  readonly limits?: Partial<TruncationLimits>;
  /** Happens between the preparation and the run, as while a person thinks. */
  readonly meanwhile?: () => void;
  readonly onOutput?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** `input` as an object, or as the very text the model wrote. */
export async function useTool(ports: ToolPorts, name: string, input: unknown, use: Use = {}): Promise<ToolOutcome> {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const call = await prepareCall({ id: 'call-1', name, arguments: text }, TOOLS, ports);
  if (call.kind === 'refused') return call.outcome;
  use.meanwhile?.();
  return runCall(call, ports, {
    onOutput: use.onOutput ?? (() => undefined),
    signal: use.signal ?? new AbortController().signal,
    nonce: NONCE,
    ...(use.limits ? { limits: use.limits } : {}),
  });
}

export async function prepareOnly(ports: ToolPorts, name: string, input: unknown): Promise<PreparedCall> {
  const call = await prepareCall({ id: 'call-1', name, arguments: JSON.stringify(input) }, TOOLS, ports);
  if (call.kind === 'refused') throw new Error(`refused: ${call.outcome.text}`);
  return call.prepared;
}
