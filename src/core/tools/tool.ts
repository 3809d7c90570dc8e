/**
 * What a tool is. A call is first prepared, which changes nothing and says exactly what would be done; only what was
 * prepared and, where the class asks for it, approved is then run.
 */

import type * as z from 'zod';
import type { Message, TruncationRecord } from '../context/message.ts';
import type { ApprovalRequest, BlobStore, Clock, Files, Shell, ToolClass } from '../ports.ts';

export interface ToolPorts {
  readonly files: Files;
  readonly shell: Shell;
  readonly blobs: BlobStore;
  readonly clock: Clock;
}

export interface ToolOutcome {
  readonly text: string;
  readonly isError?: boolean;
  readonly ephemeral?: { readonly keepNewest: number };
  readonly truncation?: TruncationRecord;
  /** Read back from what was put aside before: it is not put aside again. */
  readonly readBack?: true;
  /** For a person, not for the model: what a command ended with. */
  readonly exitCode?: number | null;
}

export interface PreparedCall {
  /** One line for the tool card, e.g. `src/retry.ts`. */
  readonly title: string;
  /** Null when the call may run without asking. */
  readonly approval: Pick<ApprovalRequest, 'detail' | 'mayRemember' | 'title'> | null;
  /** Workspace paths that the call is about to change: their before-images are kept first. */
  readonly changes: readonly string[];
  /** Throws `ToolError` with the reason when it cannot be done, also when the world changed since it was prepared. */
  run(options: { readonly onOutput: (text: string) => void; readonly signal: AbortSignal }): Promise<ToolOutcome>;
}

export interface Tool<Input = unknown> {
  /** `^[a-z_]{1,64}$` */
  readonly name: string;
  readonly toolClass: ToolClass;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Which end of a long output says most, where it is not the beginning; a person's own setting goes before it. */
  readonly keeps?: TruncationRecord['direction'];
  /** Throws `ToolError` when the call cannot be done; nothing is changed yet. */
  prepare(input: Input, ports: ToolPorts): Promise<PreparedCall>;
}

/** Messages of the current path, for tools that read the session itself. */
export type History = () => readonly Message[];
