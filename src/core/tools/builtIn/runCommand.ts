/**
 * `run_command`: one command line in the workspace folder, after a person has seen exactly that line, now or when they
 * gave a lasting permission for exactly its words. Lines that cannot be displayed faithfully do not run: control
 * characters that could hide a part of the command are refused.
 */

import { forEachChild, parse, type SyntaxNode } from 'unbash';
import * as z from 'zod';
import type { BackgroundState, CallOutcome } from '../../context/message.ts';
import { ToolError } from '../../errors.ts';
import { causeOf, describeStop } from '../../stop.ts';
import { inEnglish, listSome, type Words, words } from '../../words.ts';
import type { Files } from '../../workspace/files.ts';
import type { NewNames, ShellResult } from '../../workspace/shell.ts';
import { wholePaths } from '../../workspace/wholePaths.ts';
import type { ApprovalRequest, ShownPart } from '../approvals.ts';
import { keyOfRule, writeWords } from '../commandRules.ts';
import { decideCommand, type KnownCommand, knowCommand, onlyReads, rulesFor } from '../commands/knowCommand.ts';
import { ANY } from '../commands/openWords.ts';
import { foldRedrawn } from '../text/redrawnLines.ts';
import { showCommand, showCommandInOneLine, showHidden, showInOneLine } from '../text/showHidden.ts';
import { createControlStripper, markRedrawn, withoutMarks } from '../text/stripControls.ts';
import {
  type BackgroundCommand,
  type BackgroundOutput,
  defineTool,
  type PreparedCall,
  type ToolOutcome,
  type ToolPorts,
} from '../tool.ts';

const LONGEST_TIMEOUT_SECONDS = 600;
const LONGEST_COMMAND = 20_000;
const REFUSED = /[\p{Cc}--[\t\n]]/v;

/** Other programs have one tool for running a command, reading its output and stopping it. */
const SHELLS = ['bash', 'shell', 'powershell', 'execute', 'runcommands', 'runinterminal', 'run_shell_command'];

export const runCommand = defineTool({
  name: 'run_command',
  alsoCalled: SHELLS,
  toolClass: 'run',
  description:
    'Run a command in the workspace folder, by the shell that the system prompt names; the user is asked, unless they allowed exactly this command before. There is no terminal and no input. ' +
    'The result begins with the exit code. Processes it leaves running are ended with it, or named: what has to run on, ' +
    'such as a server, needs `background`.',
  input: z.strictObject({
    command: z
      .string()
      .min(1)
      .max(LONGEST_COMMAND, `longer than ${LONGEST_COMMAND} characters; write it into a file and run that`)
      .describe('Command line for the shell'),
    background: z
      .boolean()
      .default(false)
      .describe('Keep it running after the call, such as a dev server; read_output and stop_command take its id'),
    cwd: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Where several folders are open: the name of the one to run in. If not given: the first'),
    timeout_seconds: z
      .int()
      .min(1)
      .max(LONGEST_TIMEOUT_SECONDS)
      .default(120)
      .describe('Ended after this time, unless in the background'),
  }),
  keeps: 'middle',
  describe: ({ command, background }) => ({ kind: 'command', command, background }),
  async prepare({ command, timeout_seconds, background, cwd }, ports) {
    const { files, shell, background: others } = ports;
    const folder = folderOf(cwd, files);
    // Throws where it is gone.
    await files.resolve(folder);
    const elsewhere = folder === files.root ? undefined : folder;
    const bad = REFUSED.exec(command)?.[0];
    if (bad !== undefined) {
      throw new ToolError(
        `The command holds the control character ${showHidden(bad)}, which can hide what it does. Write it without.`,
      );
    }
    if (!command.isWellFormed()) throw new ToolError('The command holds half of a surrogate pair. Write it without.');
    if (command.trim() === '') throw new ToolError('The command is empty.');
    const refusal = shell.refuse?.(command, folder) ?? null;
    if (refusal !== null) throw new ToolError(refusal);
    if (background && !others) throw new ToolError('No command can run in the background here. Run it without.');
    const title = showCommandInOneLine(command);
    const danger = findDanger(command, folder);
    const shown: ShownCommand = {
      kind: 'command',
      command: showCommand(command),
      cwd: showInOneLine(folder),
      ...(background ? { background } : {}),
      ...(danger.length > 0 ? { danger } : {}),
    };
    const consent = await consentFor({ command, folder, background }, shown, ports);
    const start =
      (confined: boolean): PreparedCall['run'] =>
      async ({ onOutput, signal }) => {
        const where = elsewhere === undefined ? {} : { folder: elsewhere };
        if (background && others) {
          const output = await others.start(command, signal, where);
          return { ...describeOutput(output), outcome: outcomeOfStart(output.command) };
        }
        const live = createControlStripper('marked');
        const emit = (text: string) => {
          if (text !== '') onOutput(text);
        };
        const result = await shell.run(
          command,
          {
            timeoutMs: timeout_seconds * 1000,
            onOutput: (text) => emit(live.push(text)),
            ...where,
            ...(confined ? { confined } : {}),
          },
          signal,
        );
        emit(live.end());
        const { refused, newNames, notRun } = result;
        const plain: ToolOutcome = notRun
          ? { text: 'not run', isError: true, outcome: { kind: 'refused' } }
          : { ...describe(result, timeout_seconds, signal), outcome: outcomeOf(result) };
        const outcome = refused ? { ...plain, text: `${plain.text}\n\n${inEnglish(refused)}` } : plain;
        if (newNames) return askAboutNames(outcome, newNames, folder);
        if (!refused) return outcome;
        // The whole line is asked about, so its parts would say nothing.
        const prepared = outside(refused, shown);
        const run: PreparedCall['run'] = async (running) => {
          const second = await prepared.run(running);
          return { ...second, text: `${notRun ? RAN_OUTSIDE : RAN_AGAIN}\n${second.text}` };
        };
        return { ...outcome, next: { prepared: { ...prepared, run } } };
      };
    const outside = (why: Words | undefined, detail = consent.approval.detail): PreparedCall => {
      const approval = { title, ...consent.approval, detail, ...(why ? { why } : {}) };
      return { title, ...consent, approval, changes: [], run: start(false) };
    };
    // A person's own word for this command stands: it runs where they allowed it.
    if (consent.grant?.standing === 'allow') return outside(undefined);
    const confinement = (await shell.confinement?.()) ?? 'off';
    if (confinement === 'off') return outside(undefined);
    if (confinement !== 'ready') return outside(confinement.absent);
    if (background) return outside(IN_BACKGROUND);
    return {
      ...outside(undefined),
      // It is asked about only where no lasting permission counts, such as for a line with a secret.
      grant: { covers: [{ key: `sandbox ${command}`, title }], standing: 'allow', allowAlways: async () => undefined },
      approval: { title, detail: shown, mayRemember: true },
      run: start(true),
    };
  },
});

const RAN_AGAIN =
  'The sandbox refused a part of it, so the person let it run again from the start, outside of the sandbox.';
const RAN_OUTSIDE = 'The sandbox could not be made, so the person let it run outside of the sandbox.';
const IN_BACKGROUND = words(
  'A command in the background runs outside of the sandbox, which guards a folder only while a command is waited for.',
);
const MOST_NAMED = 20;

/** Guarded names that are new stay, unless the person lets them be moved: they may be somebody else's. */
function askAboutNames(outcome: ToolOutcome, { paths, place, setAside }: NewNames, folder: string): ToolOutcome {
  const show = (all: readonly string[]) =>
    listSome(
      all.map((path) => showInOneLine(within(path, folder))),
      MOST_NAMED,
    );
  const names = show(paths);
  const title = `${names} → ${showInOneLine(place)}`;
  const text = `${outcome.text}\n\nThese guarded names are new since the command began: ${names}.`;
  return {
    ...outcome,
    text,
    next: {
      prepared: {
        title,
        approval: {
          title,
          detail: { kind: 'move', from: names, to: showInOneLine(place) },
          why: words(
            'These guarded names are new since the command in the sandbox began, made by it or by somebody else meanwhile. Editors, agents or git may do what they say. If you allow it, they are moved out of the folder.',
          ),
          mayRemember: false,
        },
        changes: [],
        async run() {
          const stay = await setAside();
          const moved = `The person had them moved out of the folder, to ${place}`;
          const left = show(stay);
          return { ...outcome, text: `${text} ${moved}${left === '' ? '.' : `, but for ${left}.`}` };
        },
      },
      declined: 'The person keeps them where they are.',
    },
  };
}

/** As a command in that folder would name it. */
const within = (path: string, folder: string) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path);

/** Absolute. A folder is named as in shown paths. */
function folderOf(cwd: string | undefined, { root, folders = [] }: Pick<Files, 'root' | 'folders'>): string {
  if (root === null) throw new ToolError('No folder is open, so no command can run. Ask the user to open one.');
  if (cwd === undefined || cwd === '.') return root;
  const found = folders.find(({ name, path }) => name === cwd.replace(/\/$/, '') || path === cwd);
  if (found) return found.path;
  if (folders.length === 0 && cwd === root) return root;
  const names = folders.map(({ name }) => showInOneLine(name)).join(', ');
  const hint = names === '' ? 'Only one folder is open: leave cwd out.' : `cwd must be one of ${names}.`;
  throw new ToolError(`${showInOneLine(cwd)} is not an open folder. ${hint} Go into folders below it in the command.`);
}

type ShownCommand = Extract<ApprovalRequest['detail'], { kind: 'command' }>;

/** The question for the person, and the grant that already allows the command. */
async function consentFor(
  asked: { readonly command: string; readonly folder: string; readonly background: boolean },
  shown: ShownCommand,
  { files, shell, commandRules: rules, commandDisk, isGranted = () => false }: ToolPorts,
): Promise<{
  readonly approval: Omit<NonNullable<PreparedCall['approval']>, 'title'>;
  readonly grant?: NonNullable<PreparedCall['grant']>;
}> {
  if (!rules) return { approval: { detail: shown, mayRemember: false } };
  const question = { ...asked, posix: shell.posix?.() ?? false };
  const known = await knowCommand(question, { files, rules, isGranted, disk: commandDisk ?? null });
  const decision = decideCommand(known);
  const detail = known.kind === 'parts' ? { ...shown, parts: known.parts.map(showPart) } : shown;
  if (decision.kind === 'allow') {
    const covers = [{ key: asked.command, title: shown.command }];
    return {
      approval: { detail, mayRemember: true },
      grant: { covers, standing: 'allow', allowAlways: async () => undefined },
    };
  }
  const { because: why } = decision;
  const wanted = rulesFor(known);
  if (!wanted) return { approval: { detail, why, mayRemember: false } };
  const reads = onlyReads(known);
  return {
    approval: { detail: reads ? { ...detail, reads } : detail, why, mayRemember: true, mayAlways: true },
    grant: {
      covers: wanted.map((rule) => ({ key: keyOfRule(rule), title: showCommandInOneLine(writeWords(rule.argv)) })),
      standing: null,
      allowAlways: async () => {
        for (const rule of wanted) await rules.allow(rule);
      },
      ...(reads ? { allowReading: () => rules.allowReading() } : {}),
    },
  };
}

function showPart({
  argv,
  rule,
  folder,
  ground,
}: Extract<KnownCommand, { kind: 'parts' }>['parts'][number]): ShownPart {
  const left = rule?.argv.some((word) => word.endsWith(ANY)) === true;
  return {
    argv: argv.map(showInOneLine),
    folder: showInOneLine(folder),
    allowed: ground !== null,
    ...(left ? { always: rule.argv.map((word) => showInOneLine(word.replace(ANY, '…'))) } : {}),
  };
}

function describe(
  { ended, exitCode, output }: ShellResult,
  timeoutSeconds: number,
  signal: Pick<AbortSignal, 'reason'>,
): ToolOutcome {
  const result = (first: string) => showOutput(first, markRedrawn(output), '(no output)');
  switch (ended) {
    case 'exit':
      return {
        ...result(exitCode === null ? 'ended by a signal' : `exit code ${exitCode}`),
        ephemeral: { keepNewest: 1, of: 'call' },
      };
    case 'timeout':
      return { ...result(`ended after ${timeoutSeconds} s without finishing`), isError: true };
    case 'aborted':
      return { ...result(describeStop(causeOf(signal), 'before the command had finished')), isError: true };
  }
}

/** Below a first line; redrawn lines are folded, and the whole goes with it. */
function showOutput(first: string, marked: string, nothing: string): Pick<ToolOutcome, 'text' | 'whole'> {
  const { text, left } = foldRedrawn(marked);
  const show = (output: string) => `${first}\n${output.trimEnd() || nothing}`;
  return { text: show(text), ...(left > 0 ? { whole: show(withoutMarks(marked)) } : {}) };
}

/** Only a command that ended by itself has passed or failed. */
function outcomeOf({ ended, exitCode }: Pick<ShellResult, 'ended' | 'exitCode'>): CallOutcome {
  if (ended !== 'exit' || exitCode === null) return { kind: 'interrupted' };
  return { kind: exitCode === 0 ? 'made' : 'failed', exitCode };
}

function outcomeOfStart(command: BackgroundCommand): CallOutcome {
  const own: CallOutcome = command.ended ? outcomeOf(command.ended) : { kind: 'running' };
  return { ...own, background: stateOf(command) };
}

function stateOf({ id, ended }: BackgroundCommand): BackgroundState {
  if (!ended) return { id, state: 'running' };
  const { kind: _, ...code } = outcomeOf(ended);
  return { id, state: code.exitCode === undefined ? 'stopped' : 'ended', ...code };
}

/** `stop_command`: ends a background command and all processes that it has started. */
export const stopCommand = defineTool({
  name: 'stop_command',
  alsoCalled: [...SHELLS, 'killshell', 'killbash', 'taskstop', 'killterminal'],
  toolClass: 'run',
  description: 'Stop a command that runs in the background, with all that it has started.',
  input: z.strictObject({ id: z.string().min(1).max(40).describe('As run_command named it') }),
  keeps: 'middle',
  offered: (_, { background }) => background !== undefined,
  async prepare({ id }, { background }) {
    const title = `${id} ${showCommandInOneLine(requireCommand(id, background).command)}`;
    return {
      title,
      approval: null,
      // A person agreed to the command; ending it needs no consent.
      grant: { covers: [{ key: 'stop_command', title }], standing: 'allow', allowAlways: async () => undefined },
      changes: [],
      async run() {
        const output = await background?.stop(id);
        if (!output) throw new ToolError(`${id} is gone.`);
        return describeOutput(output);
      },
    };
  },
});

const LONGEST_WAIT_SECONDS = 60;

/** `read_output`: a background command's output since it was last read. */
export const readOutput = defineTool({
  name: 'read_output',
  alsoCalled: [...SHELLS, 'bashoutput', 'taskoutput', 'getterminaloutput'],
  // Nothing starts here: a person agreed to the command, so any mode may read its output. Where no command may start,
  // as in an untrusted workspace, there is none to read.
  toolClass: 'read',
  description: 'Read what a command in the background has written since it was last read, and whether it still runs.',
  input: z.strictObject({
    id: z.string().min(1).max(40).describe('As run_command named it'),
    wait_seconds: z.int().min(0).max(LONGEST_WAIT_SECONDS).default(0).describe('How long to wait for something new'),
  }),
  keeps: 'middle',
  offered: (_, { background }) => background !== undefined,
  async prepare({ id, wait_seconds }, { background }) {
    const { command } = requireCommand(id, background);
    return {
      title: `${id} ${showCommandInOneLine(command)}`,
      approval: null,
      changes: [],
      async run({ signal }) {
        const output = await background?.read(id, wait_seconds * 1_000, signal);
        if (!output) throw new ToolError(`${id} is gone.`);
        return describeOutput(output);
      },
    };
  },
});

/** Throws with a list of the running commands. */
function requireCommand(id: string, background: ToolPorts['background']): BackgroundCommand {
  const all = background?.list() ?? [];
  const found = all.find((each) => each.id === id);
  if (found) return found;
  const names = all.map((each) => `${each.id} (${showCommandInOneLine(each.command).slice(0, 80)})`).join(', ');
  throw new ToolError(
    `No command ${showInOneLine(id)} runs in the background. They end with the window. There are: ${names || 'none'}.`,
  );
}

function describeOutput({ command, text, leftOut }: BackgroundOutput): ToolOutcome {
  const cut = leftOut > 0 ? `\n… ${leftOut} characters were not read in time …` : '';
  const outcome: CallOutcome = { kind: 'made', background: stateOf(command) };
  return { ...showOutput(`${describeState(command)}${cut}`, text, '(nothing new)'), headed: true, outcome };
}

function describeState({ id, ended }: BackgroundCommand): string {
  if (!ended) return `running in the background as ${id}`;
  if (ended.ended === 'aborted') return `${id} was stopped`;
  return ended.exitCode === null ? `${id} ended by a signal` : `exit code ${ended.exitCode} (${id})`;
}

const DELETES = new Set(
  'rm rmdir unlink shred truncate dd mkfs wipefs del erase rd remove-item ri rimraf trash'.split(' '),
);

/** Programs that delete with some of their words. */
const DELETING: Readonly<Record<string, RegExp>> = {
  find: / -(?:delete|execdir|exec) /u,
  git: / (?:clean|reset --hard|checkout (?:-f|--force|\.|--) |restore|branch -D|stash (?:drop|clear)|push .*(?:--force|-f|--delete|--mirror)|worktree remove|filter-branch) /u,
  rsync: / --(?:delete|remove-source)/u,
  docker: / (?:rm|rmi|prune|down) /u,
};

/** Commands that run the words behind them. */
const BEFORE = new Set('sudo doas env command exec nohup time xargs nice'.split(' '));

const OUTSIDE = /^(?:~|\/(?!dev\/(?:null|stdout|stderr|tty)$)|[A-Za-z]:[\\/]|(?:\.\/)*\.\.(?:[\\/]|$))/u;
const LONGEST_LINE = 20_000;
const MOST_SHOWN = 80;

/**
 * Finds what a person should see at a glance in a command line: that it deletes, or names a place outside of the folder in
 * which it runs. It decides nothing, so it may miss what a script hides; it also looks into what has no certain meaning. A
 * sentence each; `folder` is where the line runs. Empty when there is nothing to point out.
 */
export function findDanger(line: string, folder: string): Words {
  const found: { deletes: string | null; outside: string | null } = { deletes: null, outside: null };
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command' && node.name) {
      const args = node.args.map((each) => (each.type === 'Word' ? each.value : each.text));
      inspectCommand([node.name.value, ...args], folder, found, line.slice(node.pos, node.end));
    }
    if (node.type === 'Redirect' && node.operator.includes('>')) {
      const target = node.target?.value ?? '';
      if (isOutside(target, folder)) found.outside ??= target;
    }
    forEachChild(node, visit);
  };
  if (line.length <= LONGEST_LINE) visit(parse(line));
  return [
    ...(found.deletes === null ? [] : words('It deletes: {0}', show(found.deletes))),
    ...(found.outside === null ? [] : words('It names a place outside this folder: {0}', show(found.outside))),
  ];
}

const show = (text: string) => {
  const shown = showCommandInOneLine(text);
  return shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}…` : shown;
};

function inspectCommand(
  argv: readonly string[],
  folder: string,
  found: { deletes: string | null; outside: string | null },
  text: string,
): void {
  const start = argv.findIndex((word) => !BEFORE.has(nameOf(word)) && !word.startsWith('-') && !word.includes('='));
  const [program = '', ...rest] = argv.slice(Math.max(start, 0));
  const name = nameOf(program);
  const runsAnother = start > 0 && argv.slice(1).some((word) => DELETES.has(nameOf(word)));
  if (runsAnother || DELETES.has(name) || DELETING[name]?.test(` ${rest.join(' ')} `)) found.deletes ??= text;
  found.outside ??= rest.find((word) => isOutside(word, folder)) ?? null;
}

const nameOf = (word: string) =>
  word
    .slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat)$/u, '');

function isOutside(word: string, folder: string): boolean {
  if (!OUTSIDE.test(word)) return false;
  const windows = !folder.startsWith('/');
  const spell = (path: string) => (windows ? path.replaceAll('\\', '/').toLowerCase() : path);
  const own = spell(folder);
  return ![word, ...wholePaths(word, windows)].map(spell).some((path) => path === own || path.startsWith(`${own}/`));
}
