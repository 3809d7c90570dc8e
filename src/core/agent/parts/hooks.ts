/**
 * Runs a person's hooks at their events and returns the results: messages for the model, a refusal, and a note in the
 * conversation for every effect of a hook. A failing hook never breaks a turn.
 */

import type { ToolCall, UserMessage } from '../../context/message.ts';
import { messageOf, UserFacingError } from '../../errors.ts';
import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import { hideSecrets, type Secrets } from '../../secrets/hideSecrets.ts';
import type { SectionValues } from '../../setting.ts';
import { estimateMessage } from '../../tokens/estimate.ts';
import type { ToolClass, WorkspaceTrust } from '../../tools/approvals.ts';
import { cutHead } from '../../tools/text/cutText.ts';
import { showInOneLine } from '../../tools/text/showHidden.ts';
import { toolWords } from '../../tools/toolNames.ts';
import { verbatim, type Words, words } from '../../words.ts';
import type { Files } from '../../workspace/files.ts';
import { type HOOKS, type Hook, isFor } from '../hookSettings.ts';
import { type HookAnswer, type HookResult, readAnswer } from './hookAnswer.ts';

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

interface HookPorts {
  readonly session: { readonly journal: Journal };
  readonly workspace: {
    readonly trust: () => WorkspaceTrust;
    readonly files: Pick<Files, 'root' | 'folders'>;
    /** Runs the person's hooks. Default: none. */
    readonly hooks?: HookRunner;
  };
  readonly settings: () => SectionValues<typeof HOOKS>;
  /** Of a subagent: the session that gave it its task. */
  readonly parent?: object;
}

/** The results of one event's hooks. */
interface HookOutcome {
  /** Why the event must not proceed, in words for the model; null when it may. */
  readonly refusal: string | null;
  /** Messages for the model, one for each hook. */
  readonly messages: readonly UserMessage[];
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
  readonly #ports: HookPorts;
  readonly #journal: Journal;
  readonly #secrets: Secrets;

  constructor(ports: HookPorts, secrets: Secrets) {
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
    const when = words('before “{0}”', toolWords(call.name));
    const moment = { event: 'beforeTool', when, label: `before ${call.name}`, mayRefuse: true } as const;
    return this.#run(moment, call, toolClass, describeCall(call, toolClass), signal);
  }

  afterTool(
    call: ToolCall,
    toolClass: ToolClass,
    result: { readonly text: string; readonly isError?: boolean },
    signal: AbortSignal,
  ): Promise<HookOutcome> {
    const when = words('after “{0}”', toolWords(call.name));
    const moment = { event: 'afterTool', when, label: `after ${call.name}`, mayRefuse: false } as const;
    const { text, isError = false } = result;
    const facts = { ...describeCall(call, toolClass), result: { text, isError } };
    return this.#run(moment, call, toolClass, facts, signal);
  }

  /** Called after the person's message is stored. Appends the messages for the model. */
  async beforeTurn(message: string, signal: AbortSignal): Promise<string | null> {
    const when = words('before the turn');
    const moment = { event: 'beforeTurn', when, label: 'before the turn', mayRefuse: true } as const;
    const { refusal, messages } = await this.#run(moment, null, null, { message }, signal);
    await this.#append(messages);
    return refusal;
  }

  async afterTurn(outcome: string, signal: AbortSignal): Promise<void> {
    const when = words('after the turn');
    const moment = { event: 'afterTurn', when, label: 'after the turn', mayRefuse: false } as const;
    const { messages } = await this.#run(moment, null, null, { outcome }, signal);
    await this.#append(messages);
  }

  async #append(messages: readonly UserMessage[]): Promise<void> {
    for (const message of messages) {
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
    const messages: UserMessage[] = [];
    const fits = (hook: Hook) => !call || !toolClass || isFor(hook, call.name, toolClass);
    for (const hook of this.#list.filter((each) => each.on === moment.event && fits(each))) {
      const answer = this.#fit(await this.#ask(hook, { event: moment.event, ...facts }, signal), moment);
      if (answer.kind !== 'failed' && answer.text !== '') messages.push(await this.#report(hook, moment, answer.text));
      const refusal = await this.#judge(hook, moment, answer);
      if (refusal !== null) return { refusal, messages: messages };
    }
    return { refusal: null, messages: messages };
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

  async #report(hook: Hook, { when, label }: Moment, text: string): Promise<UserMessage> {
    const notice = words('The hook “{0}” ({1}) told the model:', nameOf(hook), when);
    const lines = text.split('\n');
    const shown = [...lines.slice(0, MOST_LINES), ...(lines.length > MOST_LINES ? ['…'] : [])];
    await this.#journal.append(makeNote('info', notice, { detail: shown.map(verbatim) }));
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
        const notice =
          reason === ''
            ? words('The hook “{0}” ({1}) refused it.', name, when)
            : words('The hook “{0}” ({1}) refused it: {2}', name, when, reason);
        await journal.append(makeNote('warning', notice));
        return `A hook of the person's (${label}: ${name}) refused this, and that is final. ${reason || 'It gave no reason.'}`;
      }
      case 'failed': {
        // A hook that never ran cannot have agreed.
        const otherwise = answer.missing ? 'refuse' : 'continue';
        const refuses = mayRefuse && (hook.onFailure ?? otherwise) === 'refuse';
        const notice = words('The hook “{0}” ({1}) failed: {2}.', name, when, answer.reason);
        const then = refuses ? words('So it was refused.') : words('Work continued without it.');
        await journal.append(makeNote('warning', [...notice, ...then], { action: 'openSettings' }));
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
