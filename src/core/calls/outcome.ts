/**
 * The one reading of how a call ended. What the loop recorded counts; only for results of earlier versions and of other
 * programs is the text read, and of that no more than what the program itself writes above the output.
 */

import { ABANDONED_CALL } from '../context/lower.ts';
import type { BackgroundState, CallOutcome, ToolCall, ToolMessage } from '../context/message.ts';
import { objectOf, parseObject } from '../json.ts';
import { once } from '../once.ts';
import { isStopCause, isStopText } from '../stop.ts';
import { toolOf } from '../tools/toolList.ts';
import { runsCommands } from './commandsInCalls.ts';

/** How the agent loop begins the result of a call that the person declined. */
export const DECLINED = 'The person declined this call.';

export type Result = Pick<ToolMessage, 'toolName' | 'text' | 'isError' | 'notRun' | 'outcome'>;

export const readOutcome: (result: Result) => CallOutcome = once((result) =>
  isOutcome(result.outcome) ? result.outcome : readText(result),
);

/** It did what it was to do. */
export const isMade = (result: Result): boolean => readOutcome(result).kind === 'made';

/** It holds what was asked for: a command also answers when it ends with another exit code. */
export function hasAnswer(result: Result): boolean {
  const { kind, exitCode } = readOutcome(result);
  return kind === 'made' || (kind === 'failed' && exitCode !== undefined);
}

const KINDS: ReadonlySet<unknown> = new Set<CallOutcome['kind']>([
  'made',
  'refused',
  'declined',
  'failed',
  'interrupted',
  'running',
]);

/** Foreign data: a journal or a recording may come from another version. */
export function isOutcome(value: unknown): value is CallOutcome {
  const { kind, exitCode, background } = objectOf(value);
  return KINDS.has(kind) && isCode(exitCode) && (background === undefined || isBackground(background));
}

function isBackground(value: unknown): value is BackgroundState {
  const { id, state, exitCode } = objectOf(value);
  const isState = state === 'running' || state === 'ended' || state === 'stopped';
  return typeof id === 'string' && isState && isCode(exitCode);
}

const isCode = (value: unknown) => value === undefined || Number.isSafeInteger(value);

/** The words of other programs, where a person says no to a call. */
const SAID_NO = new RegExp(
  [
    String.raw`the (?:user|person) (?:has )?(?:declined|denied|rejected|refused|skipped|cancell?ed|did(?: not|n['’]t) allow|does(?: not|n['’]t) want to)\b`,
    String.raw`user (?:declined|denied|rejected|did not allow)\b`,
    String.raw`(?:exec command|patch|command|(?:the )?tool (?:use|call)|action)(?: (?:is|was))? (?:declined|rejected|denied)(?: by (?:the )?user)?\b`,
    String.raw`\{"status":\s*"denied"`,
  ].join('|'),
  'i',
);
const STOPPED =
  /^(?:\[?request (?:interrupted|aborted)|(?:tool |command |operation |execution )*(?:aborted|cancell?ed|interrupted|timed out)|ended (?:by a signal|after \d+ s without finishing)|killed\b|\[operation cancelled\]|the call was cut off from within)/i;
const NOT_ALLOWED =
  /^(?:there is no tool|permission to use|<tool_use_error>|this call (?:needs a person|did not run)|not run\b)/i;
const MISSING = /^\[The result of this tool call was not recorded\.\]/;

/** Words of other programs before the reason of an error. */
const BEFORE_REASON = /^(?:\s|<system>|error:|\[operation cancelled\] reason:|\[[^\]\n]{0,200}\] result:)*/i;

/** Characters in which a program says how a call ended. */
const HEAD = 400;

function readText(result: Result): CallOutcome {
  const { toolName, text, isError = false, notRun } = result;
  if (isStopCause(notRun)) return { kind: 'interrupted' };
  const head = text.slice(0, HEAD);
  if (isError) return readError(head, result);
  if (toolName === 'read_output' || toolName === 'stop_command')
    return withBackground({ kind: 'made' }, readState(head));
  if (!runsCommands(toolName)) return { kind: 'made' };
  if (STOPPED.test(head)) return { kind: 'interrupted' };
  const code = exitCodeIn(head, toolName);
  if (code !== null) return { kind: code === 0 ? 'made' : 'failed', exitCode: code };
  const id = startedIn(head, toolName);
  return id === null ? { kind: 'made' } : { kind: 'running', background: { id, state: 'running' } };
}

function readError(head: string, { toolName, text }: Result): CallOutcome {
  const reason = head.replace(BEFORE_REASON, '');
  if (SAID_NO.exec(reason)?.index === 0) return { kind: 'declined' };
  const isStopped =
    STOPPED.test(reason) || STOPPED.test(head) || isStopText(reason) || MISSING.test(head) || text === ABANDONED_CALL;
  if (isStopped) return { kind: 'interrupted' };
  const code = runsCommands(toolName) ? exitCodeIn(head, toolName) : null;
  if (code !== null && code !== 0) return { kind: 'failed', exitCode: code };
  const own = toolOf(toolName)?.toolClass;
  const hasChecked = (own === 'read' || own === 'write') && head.startsWith(`${toolName}: `);
  return { kind: hasChecked || NOT_ALLOWED.test(reason) ? 'refused' : 'failed' };
}

const OWN_CODE = /^exit code (-?\d{1,10})(?: \(bg-[\da-f]+\))?$/m;
const OTHER_CODE = /^(?:Process |Command )?(?:exited with (?:exit )?code|exit[_ ]?code|exit status):? (-?\d{1,10})\b/im;

/** The exit code that a program wrote above the output. Null where it wrote none there. */
function exitCodeIn(head: string, toolName: string): number | null {
  const above = toolOf(toolName) ? firstLine(head) : aboveOutput(head);
  const [, code] = (toolOf(toolName) ? OWN_CODE : OTHER_CODE).exec(above) ?? [];
  return code === undefined ? null : Number(code);
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Lines of facts that a program writes before it says that the output follows; else the first line. */
function aboveOutput(head: string): string {
  const [above, ...output] = head.split(/^(?:Output|Stdout):/m);
  return output.length > 0 ? (above ?? '') : firstLine(head);
}

const OWN_START = /^running in the background as (bg-[\da-f]+)$/;
const OTHER_START = /^(?:Command running in background|(?:Process )?running) with (?:session )?ID:? ([\w-]{1,40})/im;

function startedIn(head: string, toolName: string): string | null {
  const isOwn = toolOf(toolName) !== null;
  return (isOwn ? OWN_START.exec(firstLine(head)) : OTHER_START.exec(aboveOutput(head)))?.[1] ?? null;
}

/** In the first line that `read_output` and `stop_command` write. */
function readState(head: string): BackgroundState | null {
  const first = firstLine(head);
  const [, running] = OWN_START.exec(first) ?? [];
  if (running !== undefined) return { id: running, state: 'running' };
  const [, stopped] = /^(bg-[\da-f]+) (?:was stopped|ended by a signal)$/.exec(first) ?? [];
  if (stopped !== undefined) return { id: stopped, state: 'stopped' };
  const [, code, id] = /^exit code (-?\d{1,10}) \((bg-[\da-f]+)\)$/.exec(first) ?? [];
  return id === undefined ? null : { id, state: 'ended', exitCode: Number(code) };
}

const withBackground = (outcome: CallOutcome, background: BackgroundState | null): CallOutcome =>
  background ? { ...outcome, background } : outcome;

const ID_KEYS = ['bash_id', 'shell_id', 'session_id', 'task_id'];

/**
 * The command in the background that a call tells of: as recorded, or by the id in the arguments of another program's
 * call and the state at the head of its result.
 */
export function backgroundOf(call: ToolCall, result: Result): BackgroundState | null {
  const { kind, exitCode, background } = readOutcome(result);
  if (background) return background;
  if (result.outcome || toolOf(call.name)) return null;
  const given = parseObject(call.arguments) ?? {};
  const id = ID_KEYS.map((key) => given[key]).find((each) => typeof each === 'string' || typeof each === 'number');
  if (id === undefined) return null;
  if (exitCode !== undefined) return ended(id, exitCode);
  if (/kill|stop/i.test(call.name) && !result.isError) return { id: String(id), state: 'stopped' };
  if (kind !== 'made') return null;
  const [, status, code] =
    /^<status>(\w{1,20})<\/status>(?:\s*<exit_code>(-?\d{1,10})<\/exit_code>)?/.exec(result.text) ?? [];
  if (status === 'killed') return { id: String(id), state: 'stopped' };
  return code === undefined || status === 'running' ? null : ended(id, Number(code));
}

const ended = (id: unknown, exitCode: number): BackgroundState => ({ id: String(id), state: 'ended', exitCode });

const NOTICE = /<task-notification>\s{0,9}([\s\S]{0,4000}?)<\/task-notification>/g;

/** Commands in the background of which a program says between its messages that they ended. */
export function endsIn(text: string): readonly BackgroundState[] {
  if (!text.includes('<task-notification>')) return [];
  return [...text.matchAll(NOTICE)].flatMap(([, notice = '']): BackgroundState[] => {
    const [, id] = /<task-id>([\w-]{1,40})<\/task-id>/.exec(notice) ?? [];
    const [, status] = /<status>(\w{1,20})<\/status>/.exec(notice) ?? [];
    if (id === undefined || status === undefined || status === 'running') return [];
    const [, code] = /<summary>[^<]{0,2000}\bexit code:? (-?\d{1,10})/.exec(notice) ?? [];
    if (code !== undefined) return [ended(id, Number(code))];
    return [{ id, state: status === 'completed' ? 'ended' : 'stopped' }];
  });
}
