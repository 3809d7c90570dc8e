/**
 * From a model's call to a result, in two steps with the person's consent between them: `prepareCall` changes nothing
 * and returns the reason when the call is impossible, `runCall` carries out the prepared call. Arguments are never
 * guessed at: `takeCall` reads them.
 */

import { readImage } from '../context/imageFacts.ts';
import { attachImages } from '../context/images.ts';
import { describeImage } from '../context/item.ts';
import type { CallOutcome } from '../context/message.ts';
import { isSystemError, JournalError, ToolError } from '../errors.ts';
import { inEnglish } from '../words.ts';
import { type TakenCall, takeCall } from './arguments/takeCall.ts';
import type { TruncationLimits } from './text/cutText.ts';
import { neutralise } from './text/neutralise.ts';
import { showInOneLine } from './text/showHidden.ts';
import type { PreparedCall, Tool, ToolOutcome, ToolPorts } from './tool.ts';
import { TRUNCATION_DEFAULTS } from './toolSettings.ts';
import { truncateOutput } from './truncateOutput.ts';

const LONGEST_REASON = 500;

const REFUSED: CallOutcome = { kind: 'refused' };

type CallPreparation =
  | {
      readonly kind: 'prepared';
      readonly tool: Tool;
      readonly prepared: PreparedCall;
      /** With the arguments that it was prepared with. */
      readonly call: TakenCall;
    }
  /** The result of a call that did not run: the fault, in words for the model. */
  | { readonly kind: 'refused'; readonly outcome: ToolOutcome };

/** Throws only for bugs. */
export async function prepareCall(call: TakenCall, tools: readonly Tool[], ports: ToolPorts): Promise<CallPreparation> {
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) {
    const names = tools.map(({ name }) => name).join(', ') || 'none';
    return refuse(`There is no tool "${showInOneLine(call.name)}". Tools available now: ${names}.`);
  }
  const taken = await takeCall(call, tool, ports.files);
  if (taken.kind === 'refused') return refuse(`${tool.name}: ${taken.reason}`);
  try {
    return { kind: 'prepared', tool, call: taken.call, prepared: await tool.prepare(taken.input, ports, call.id) };
  } catch (thrown) {
    return refuse(`${tool.name}: ${reasonOf(thrown)}`);
  }
}

export interface RunOptions {
  /** Live output for a person, as `markRedrawn` gives it. */
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
  /** The session's secret word inside stubs. */
  readonly nonce: string;
  /** Default: those of the settings. Without a direction, the tool's own applies. */
  readonly limits?: Partial<TruncationLimits>;
  /** Removes text that must not be stored. */
  readonly hide?: (text: string) => string;
}

/** The call's result as the model will see it. Throws aborts and bugs. */
export async function runCall(
  { tool, prepared, call }: Extract<CallPreparation, { kind: 'prepared' }>,
  ports: ToolPorts,
  { onOutput, signal, nonce, limits, hide = (text) => text }: RunOptions,
): Promise<ToolOutcome> {
  signal.throwIfAborted();
  const own = tool.keeps === undefined ? {} : { direction: tool.keeps };
  const inForce = { ...TRUNCATION_DEFAULTS, ...own, ...limits };
  const outcome = await runPrepared(tool, prepared, { onOutput, signal, limits: inForce }, ports);
  const clean = (text: string) => neutralise(hide(text)).toWellFormed();
  const whole = outcome.whole === undefined ? {} : { whole: clean(outcome.whole) };
  const safe = { ...outcome, text: clean(outcome.text), ...whole };
  const cut = await truncateOutput(safe, inForce, nonce, ports.blobs);
  const remarks = neutralise((call.remarks ?? []).join(' ')).toWellFormed();
  return remarks === '' ? cut : { ...cut, text: `${cut.text}\n\n[${remarks}]` };
}

/** Images that the model accepts are attached to the result; for others the text gives the reason. */
export async function showImages(
  { images, ...outcome }: ToolOutcome,
  { blobs, session }: ToolPorts,
): Promise<ToolOutcome> {
  if (!images?.length) return outcome;
  const { viewer } = session;
  const taken = viewer.takesImages ? images : [];
  const attached = await attachImages(taken, viewer, blobs);
  const attachments = attached.flatMap((each) => (each.kind === 'attached' ? [each.attachment] : []));
  const notes = viewer.takesImages
    ? attached.flatMap((each) => (each.kind === 'refused' ? [`[${inEnglish(each.reason)}]`] : []))
    : images.map(({ name, bytes }) => describeUnseen(name, bytes));
  return {
    ...outcome,
    text: [outcome.text, ...notes].filter(Boolean).join('\n'),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}

function describeUnseen(name: string, bytes: Uint8Array): string {
  const facts = readImage(bytes);
  return describeImage({ name: showInOneLine(name), ...(facts ?? { mime: 'unknown type' }) });
}

async function runPrepared(
  tool: Tool,
  prepared: PreparedCall,
  options: Parameters<PreparedCall['run']>[0],
  ports: ToolPorts,
): Promise<ToolOutcome> {
  try {
    return await showImages(await prepared.run(options), ports);
  } catch (thrown) {
    const text = `${tool.name}: ${reasonOf(thrown)}`;
    // Tools that reach files check before they act; others may have acted.
    const hasChecked = thrown instanceof ToolError && (tool.toolClass === 'read' || tool.toolClass === 'write');
    return { text, isError: true, ...(hasChecked ? { outcome: REFUSED } : {}) };
  }
}

/** Errors of tools and of the system are results for the model. Throws aborts and bugs. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof ToolError) return thrown.message;
  // Without the original message, which names the storage folder.
  if (thrown instanceof JournalError) return `what was kept for this session cannot be reached (${thrown.kind}).`;
  if (isSystemError(thrown))
    return `the system refused it (${showInOneLine(thrown.message.slice(0, LONGEST_REASON))}).`;
  throw thrown;
}

function refuse(text: string): CallPreparation {
  return { kind: 'refused', outcome: { text: neutralise(text).toWellFormed(), isError: true, outcome: REFUSED } };
}
