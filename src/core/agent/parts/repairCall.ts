/**
 * Adds to a failed call what spares the model a reread: paths that exist beside the one that does not, and what
 * messages said that a compaction took from its view. Nothing is shown that the model could not read with its tools.
 */

import { commandOf } from '../../calls/commandsInCalls.ts';
import { readOutcome } from '../../calls/outcome.ts';
import type { ToolCall } from '../../context/message.ts';
import type { Projection } from '../../context/projection.ts';
import { isAbort } from '../../errors.ts';
import { parseJson } from '../../json.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { NOT_FOUND } from '../../tools/builtIn/editFile.ts';
import { canRecall } from '../../tools/builtIn/recall.ts';
import { neutralise } from '../../tools/text/neutralise.ts';
import type { ToolOutcome, ToolPorts } from '../../tools/tool.ts';
import type { Files } from '../../workspace/files.ts';
import { describeEarlierFailure } from './earlierFailure.ts';
import { fieldsIn, hiddenIn } from './hiddenMessages.ts';
import { describeHiddenText, EDIT_TOKENS, MOST_TOKENS } from './hiddenText.ts';
import { describeNearPaths, findMissing, nameOf } from './nearPaths.ts';

/** Returns the outcome as it is where there is nothing to add. */
export async function repairCall(
  call: ToolCall,
  outcome: ToolOutcome,
  { files, session }: Pick<ToolPorts, 'files' | 'session'>,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const repair = await findRepair(call, outcome, files, session.context, signal).catch((thrown: unknown) => {
    if (signal.aborted || isAbort(thrown)) throw thrown;
    // The refusal stands by itself: a search that fails must not take it away.
    return '';
  });
  return repair === '' ? outcome : { ...outcome, text: `${outcome.text}\n\n${neutralise(repair).toWellFormed()}` };
}

async function findRepair(
  call: ToolCall,
  outcome: ToolOutcome,
  files: Files,
  context: Projection,
  signal: AbortSignal,
): Promise<string> {
  const { text } = outcome;
  const { kind } = readOutcome({ toolName: call.name, ...outcome });
  const command = commandOf(call);
  if (command !== null)
    return kind === 'failed' || kind === 'interrupted' ? describeEarlierFailure(command, text, context) : '';
  if (kind !== 'failed' && kind !== 'refused') return '';
  const describe = (texts: readonly string[], tokens: number) =>
    describeHiddenText(texts, hiddenIn(context), tokens, canRecall(context));
  if (text.includes(NOT_FOUND)) return describe(oldTextsOf(call), EDIT_TOKENS);
  const missing = /does not exist/.test(text) ? await findMissing(call, files) : null;
  if (missing === null) return '';
  const near = await describeNearPaths(missing, files, signal);
  const left = MOST_TOKENS - countTokens(near);
  return [near, describe([nameOf(missing)], left)].filter(Boolean).join('\n');
}

/** The texts that an edit looked for. */
function oldTextsOf({ arguments: json }: ToolCall): string[] {
  return [...fieldsIn(parseJson(json))].flatMap(([name, text]) => (name === 'old_string' ? [text] : []));
}
