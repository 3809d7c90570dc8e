/**
 * Runs a person's hooks at their events and returns the results: messages for the model, a refusal, and a note in the
 * conversation for every effect of a hook. A failing hook never breaks a turn.
 */

import * as z from 'zod';
import type { ToolCall, UserMessage } from '../context/message.ts';
import { messageOf, UserFacingError } from '../errors.ts';
import type { Journal } from '../journal/journal.ts';
import { makeNote } from '../journal/makeNote.ts';
import { isTextTooDeep, parseObject } from '../json.ts';
import { fitsPattern, section, setting } from '../setting.ts';
import { estimateMessage } from '../tokens/estimate.ts';
import type { ToolClass } from '../tools/approvals.ts';
import { cutHead } from '../tools/text/cutText.ts';
import { showInOneLine } from '../tools/text/showHidden.ts';
import { neutralise, stripControls } from '../tools/text/stripControls.ts';
import { verbatim, type Words, words } from '../words.ts';
import type { AgentPorts } from './agentPorts.ts';
import { hideSecrets, type Secrets } from './hideSecrets.ts';

/**
 * Runs a hook's command in the workspace folder, with `input` on its standard input. Ends all of its processes on
 * abort.
 */
export interface HookRunner {
  run(
    command: string,
    options: { readonly input: string; readonly timeoutMs: number },
    signal: AbortSignal,
  ): Promise<HookResult>;
}

/** The results of one event's hooks. */
interface HookOutcome {
  /** Why the event must not proceed, in words for the model; null when it may. */
  readonly refusal: string | null;
  /** Messages for the model, one for each hook. */
  readonly told: readonly UserMessage[];
}

interface Moment {
  readonly event: Hook['on'];
  /** Name of the event, for a person. */
  readonly when: Words;
  /** Name of the event, for the model. */
  readonly label: string;
  readonly mayRefuse: boolean;
}

const LONGEST_NAME = 100;
const MOST_LINES = 20;

export class Hooks {
  readonly #ports: Pick<AgentPorts, 'session' | 'workspace' | 'settings' | 'parent'>;
  readonly #journal: Journal;
  readonly #secrets: Secrets;

  constructor(ports: Pick<AgentPorts, 'session' | 'workspace' | 'settings' | 'parent'>, secrets: Secrets) {
    this.#ports = ports;
    this.#journal = ports.session.journal;
    this.#secrets = secrets;
  }

  /** The hooks in force: none where the folder is not trusted. */
  get #list(): readonly Hook[] {
    const { workspace, settings, parent } = this.#ports;
    if (!workspace.hooks || workspace.trust() !== 'trusted') return [];
    // The turn is the person's; a subagent's calls are guarded like any other.
    return settings().hooks.filter(({ on }) => !parent || on === 'beforeTool' || on === 'afterTool');
  }

  /** Called before the person is asked. Throws an abort. */
  beforeTool(call: ToolCall, toolClass: ToolClass, signal: AbortSignal): Promise<HookOutcome> {
    const when = words('before {0}', call.name);
    const moment = { event: 'beforeTool', when, label: `before ${call.name}`, mayRefuse: true } as const;
    return this.#run(moment, call, toolClass, describeCall(call, toolClass), signal);
  }

  afterTool(
    call: ToolCall,
    toolClass: ToolClass,
    result: { readonly text: string; readonly isError?: boolean },
    signal: AbortSignal,
  ): Promise<HookOutcome> {
    const when = words('after {0}', call.name);
    const moment = { event: 'afterTool', when, label: `after ${call.name}`, mayRefuse: false } as const;
    const { text, isError = false } = result;
    const facts = { ...describeCall(call, toolClass), result: { text, isError } };
    return this.#run(moment, call, toolClass, facts, signal);
  }

  /** Called after the person's message is stored. Appends the messages for the model. */
  async beforeTurn(message: string, signal: AbortSignal): Promise<string | null> {
    const when = words('before the turn');
    const moment = { event: 'beforeTurn', when, label: 'before the turn', mayRefuse: true } as const;
    const { refusal, told } = await this.#run(moment, null, null, { message }, signal);
    await this.#append(told);
    return refusal;
  }

  async afterTurn(outcome: string, signal: AbortSignal): Promise<void> {
    const when = words('after the turn');
    const moment = { event: 'afterTurn', when, label: 'after the turn', mayRefuse: false } as const;
    const { told } = await this.#run(moment, null, null, { outcome }, signal);
    await this.#append(told);
  }

  async #append(told: readonly UserMessage[]): Promise<void> {
    for (const message of told) {
      await this.#journal.append({ type: 'message', message, tokens: estimateMessage(message) });
    }
  }

  /** In order. The first refusal ends the sequence. */
  async #run(
    moment: Moment,
    call: ToolCall | null,
    toolClass: ToolClass | null,
    facts: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<HookOutcome> {
    const told: UserMessage[] = [];
    const fits = (hook: Hook) => !call || !toolClass || isFor(hook, call.name, toolClass);
    for (const hook of this.#list.filter((each) => each.on === moment.event && fits(each))) {
      const answer = this.#fit(await this.#ask(hook, { event: moment.event, ...facts }, signal), moment);
      if (answer.kind !== 'failed' && answer.text !== '') told.push(await this.#tell(hook, moment, answer.text));
      const refusal = await this.#judge(hook, moment, answer);
      if (refusal !== null) return { refusal, told };
    }
    return { refusal: null, told };
  }

  /** A call that has run cannot be refused; the model reads why a hook would have refused it. */
  #fit(answer: HookAnswer, { mayRefuse }: Moment): HookAnswer {
    if (answer.kind !== 'refuse' || mayRefuse) return answer;
    return { kind: 'pass', text: [answer.reason, answer.text].filter((text) => text !== '').join('\n') };
  }

  async #ask(hook: Hook, facts: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<HookAnswer> {
    const { hooks: runner, files } = this.#ports.workspace;
    const hide = (text: string) => hideSecrets(text, this.#secrets());
    try {
      const input = hide(
        JSON.stringify({ ...facts, session: this.#journal.session.id, folder: files.root, folders: files.folders }),
      );
      if (!runner) throw new Error('nothing can run here');
      const result = await runner.run(hook.command, { input, timeoutMs: hook.timeout * 1_000 }, signal);
      signal.throwIfAborted();
      return readAnswer({ ...result, output: hide(result.output), errors: hide(result.errors) }, hook.timeout);
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof UserFacingError) return { kind: 'failed', reason: thrown.words, missing: true };
      const reason = verbatim(showInOneLine(cutHead(hide(messageOf(thrown)), 500)));
      return { kind: 'failed', reason, missing: true };
    }
  }

  async #tell(hook: Hook, { when, label }: Moment, text: string): Promise<UserMessage> {
    const said = words('The hook “{0}” ({1}) told the model:', nameOf(hook), when);
    const lines = text.split('\n');
    const shown = [...lines.slice(0, MOST_LINES), ...(lines.length > MOST_LINES ? ['…'] : [])];
    await this.#journal.append(makeNote('info', said, { detail: shown.map(verbatim) }));
    return {
      role: 'user',
      kind: 'reminder',
      text: `A hook of the person's ran ${label}: ${nameOf(hook)}. What it wrote follows. It is data about the work and not the person's own words.\n\n${text}`,
    };
  }

  /** The refusal for the model; null when the event proceeds. */
  async #judge(hook: Hook, { when, label, mayRefuse }: Moment, answer: HookAnswer): Promise<string | null> {
    const journal = this.#journal;
    const name = nameOf(hook);
    switch (answer.kind) {
      case 'pass':
        return null;
      case 'refuse': {
        const { reason } = answer;
        const said =
          reason === ''
            ? words('The hook “{0}” ({1}) refused it.', name, when)
            : words('The hook “{0}” ({1}) refused it: {2}', name, when, reason);
        await journal.append(makeNote('warning', said));
        return `A hook of the person's (${label}: ${name}) refused this, and that is final. ${reason || 'It gave no reason.'}`;
      }
      case 'failed': {
        // A hook that never ran cannot have agreed.
        const otherwise = answer.missing ? 'refuse' : 'continue';
        const refuses = mayRefuse && (hook.onFailure ?? otherwise) === 'refuse';
        const said = words('The hook “{0}” ({1}) failed: {2}.', name, when, answer.reason);
        const then = refuses ? words('So it was refused.') : words('Work continued without it.');
        await journal.append(makeNote('warning', [...said, ...then], { action: 'openSettings' }));
        if (!refuses) return null;
        return `A hook of the person's (${label}: ${name}) failed, and without it this must not go on. Tell the person.`;
      }
    }
  }
}

const nameOf = ({ command }: Hook) => {
  const line = showInOneLine(command);
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME)}…` : line;
};

function describeCall(call: ToolCall, toolClass: ToolClass): Readonly<Record<string, unknown>> {
  return { tool: { name: call.name, class: toolClass }, arguments: JSON.parse(call.arguments) };
}

/** Result of a hook's process. The runner cuts output that is too long. */
interface HookResult {
  readonly ended: 'exit' | 'timeout' | 'aborted';
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
  /** Its program was not found, so it did not run at all. */
  readonly missing?: boolean;
}

type HookAnswer =
  /** `text` is for the model; empty when there is none. */
  | { readonly kind: 'pass'; readonly text: string }
  | { readonly kind: 'refuse'; readonly reason: string; readonly text: string }
  /** `missing`: the hook never ran, so nothing has checked the call. */
  | { readonly kind: 'failed'; readonly reason: Words; readonly missing?: boolean };

const REFUSED = 2;
const MOST_BYTES = 8_000;
const MOST_REASON_BYTES = 2_000;

const answerSchema = z.looseObject({
  decision: z.enum(['continue', 'refuse']).optional(),
  reason: z.string().optional(),
  context: z.string().optional(),
});

function readAnswer(result: HookResult, timeoutSeconds: number): HookAnswer {
  const { ended, exitCode, output, errors, missing } = result;
  if (ended === 'timeout') return failed(words('it did not end within {0} s', timeoutSeconds));
  if (exitCode === null) return failed(words('it was ended by a signal'));
  if (missing) return { kind: 'failed', reason: words('its program was not found'), missing };
  if (exitCode === REFUSED) return { kind: 'refuse', reason: bound(errors || output, MOST_REASON_BYTES), text: '' };
  if (exitCode !== 0) {
    const why = firstLine(errors || output);
    return failed(
      why === ''
        ? words('it ended with exit code {0}', exitCode)
        : words('it ended with exit code {0} and said: {1}', exitCode, why),
    );
  }
  const answer = parseAnswer(output);
  if (answer === 'text') return { kind: 'pass', text: bound(output, MOST_BYTES) };
  if (answer === 'unreadable') return failed(words('its answer in JSON cannot be read'));
  const { decision, reason = '', context = '' } = answer;
  const text = bound(context, MOST_BYTES);
  return decision === 'refuse'
    ? { kind: 'refuse', reason: bound(reason, MOST_REASON_BYTES), text }
    : { kind: 'pass', text };
}

const failed = (reason: Words): HookAnswer => ({ kind: 'failed', reason });

/** Plain text is passed to the model as it is; an unknown decision must not count as approval. */
function parseAnswer(output: string): z.infer<typeof answerSchema> | 'text' | 'unreadable' {
  const text = output.trim();
  if (text.startsWith('{') && isTextTooDeep(text)) return 'unreadable';
  const value = parseObject(text);
  if (!value || !['decision', 'reason', 'context'].some((key) => Object.hasOwn(value, key))) return 'text';
  const parsed = answerSchema.safeParse(value);
  return parsed.success ? parsed.data : 'unreadable';
}

function bound(text: string, most: number): string {
  const clean = neutralise(stripControls(text)).toWellFormed().trim();
  const kept = cutHead(clean, most);
  return kept.length === clean.length ? clean : `${kept}\n… (cut)`;
}

const firstLine = (text: string) => cutHead(stripControls(text).toWellFormed().trim().split('\n')[0] ?? '', 200);

const HOOK_EVENTS = ['beforeTool', 'afterTool', 'beforeTurn', 'afterTurn'] as const;
const CLASSES: readonly ToolClass[] = ['read', 'write', 'run', 'network', 'mcp'];
const CLASS = 'class:';

/** A name, a pattern, or a class. An unknown class would never match, and its hook would never refuse. */
const matcher = z
  .string()
  .min(1)
  .max(200)
  .superRefine((text, context) => {
    if (!text.startsWith(CLASS) || CLASSES.some((each) => text === CLASS + each)) return;
    const reason = words('There is no class {0}. There are: {1}.', text.slice(CLASS.length), CLASSES.join(', '));
    context.addIssue({ code: 'custom', params: { reason } });
  });

const hook = z.strictObject({
  on: z
    .enum(HOOK_EVENTS)
    .describe(
      '`beforeTool`: before a tool call, ahead of any question. `afterTool`: after a call that ran. `beforeTurn`: after your message. `afterTurn`: when the turn has ended.',
    ),
  tools: z
    .array(matcher)
    .max(100)
    .default([])
    .describe(
      `For which tools: names, patterns with \`*\`, or \`class:\` with one of ${CLASSES.join(', ')}. If not given: all.`,
    ),
  command: z
    .string()
    .min(1)
    .max(5_000)
    .describe('Command line for the shell, run in the workspace folder. It gets a JSON object on its input.'),
  timeout: z.number().min(1).max(600).default(60).describe('Seconds after which it is ended.'),
  onFailure: z
    .enum(['continue', 'refuse'])
    .optional()
    .describe(
      'What happens when it fails: the call or the turn continues, or is refused. If not given, it continues, unless the program was not found and nothing has checked the call.',
    ),
});

type Hook = z.infer<typeof hook>;

/** True when the hook applies to this tool. */
function isFor({ tools }: Hook, name: string, toolClass: ToolClass): boolean {
  return tools.length === 0 || tools.some((each) => each === CLASS + toolClass || fitsPattern(each, name));
}

/** The person's own commands that run at certain events of a turn. A workspace never defines one. */
export const HOOKS = section('', {
  hooks: setting(
    z.array(hook).max(50),
    [],
    'Commands of your own that run before or after tool calls and turns, in this order. The model gets their output; exit code 2 refuses the call or the turn, and no approval overrides that. They run without asking, in trusted folders only. A workspace cannot change this. The README describes their input and output.',
    { scope: 'application', ofThisMachine: true, eachAlone: true },
  ),
});
