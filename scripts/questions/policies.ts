/**
 * Counts the questions that a person would have been asked under a set of rules. Nothing is run, and the files are not
 * there, so what depends on the disk is taken for harmless: paths count by name.
 */

import { posix } from 'node:path';
import { type CommandNode, forEachChild, parse, type SyntaxNode } from 'unbash';
import { ToolError } from '../../src/core/errors.ts';
import { keyOfRule, readPlainCommand } from '../../src/core/tools/commandRules.ts';
import {
  type CommandPorts,
  decideCommand,
  knowCommand,
  onlyReads,
  rulesFor,
} from '../../src/core/tools/commands/knowCommand.ts';
import { isFilter, judgeReading } from '../../src/core/tools/commands/readingCommands.ts';
import type { FileFacts } from '../../src/core/workspace/files.ts';
import { fold, type RecordedCommand } from './recordedCommands.ts';

/** Decides about each command in turn and remembers what the person allowed: always as much as the question offers. */
export interface Policy {
  readonly name: string;
  asks(command: RecordedCommand, root: string): Promise<boolean>;
}

/** Exactly these words, in this folder. */
export function exactRules(): Policy {
  const allowed = new Set<string>();
  return {
    name: 'exact commands',
    async asks({ line, folder }) {
      const argv = readPlainCommand(line);
      if (argv === null) return true;
      const key = keyOfRule({ argv, folder });
      if (allowed.has(key)) return false;
      allowed.add(key);
      return true;
    },
  };
}

/** By parts; with `reading` also by the list of commands that only read, which the first such question offers. */
export function partRules(reading: boolean, onRead: (line: string, root: string) => void = () => undefined): Policy {
  const allowed = new Set<string>();
  let reads = false;
  return {
    name: reading ? 'by parts, and what only reads' : 'by parts',
    async asks(command, root) {
      const ports = portsFor(root, {
        allows: (rule) => allowed.has(keyOfRule(rule)),
        allow: async (rule) => void allowed.add(keyOfRule(rule)),
        get allowsReading() {
          return reads;
        },
        allowReading: async () => {
          reads = true;
        },
      });
      const known = await knowCommand(
        { command: lineIn(command, root), folder: root, background: false, posix: true },
        ports,
      );
      if (decideCommand(known).kind === 'allow') {
        if (known.kind === 'parts' && known.parts.every(({ ground }) => ground !== 'always'))
          onRead(command.line, root);
        return false;
      }
      if (reading && onlyReads(known)) reads = true;
      for (const rule of rulesFor(known) ?? []) allowed.add(keyOfRule(rule));
      return true;
    },
  };
}

/** The same, and in the sandbox: what needs the network, writes outside, or cannot be parsed is a question. */
export function sandbox(): Policy {
  const rules = partRules(true);
  return {
    name: 'in the sandbox as well',
    async asks(command, root) {
      const line = lineIn(command, root);
      const asked = await rules.asks(command, root);
      return asked && needsMore(line, root);
    },
  };
}

/** The product runs a command in an open folder; a folder below it is entered in the line. */
function lineIn({ line, folder }: RecordedCommand, root: string): string {
  return folder === root || folder === '' ? line : `cd ${folder} && ${line}`;
}

function portsFor(root: string, rules: CommandPorts['rules']): CommandPorts {
  return {
    files: { root, resolve: async (path) => placeByName(path, root) },
    rules,
    isGranted: () => false,
    disk: {
      expand: async (pattern) => [pattern],
      secretUnder: async () => null,
      repository: async () => ({ fault: null, top: root, secret: null }),
      isForeign: async () => false,
    },
  };
}

function placeByName(path: string, root: string): FileFacts {
  const real = fold(path);
  if (!isInside(real, root)) throw new ToolError('outside');
  const shown = posix.relative(root, real) || '.';
  const type = /\.[a-z]{1,5}$/u.test(shown) && shown !== '.' ? 'file' : 'folder';
  return { shown, real, linked: false, exists: true, type, size: 0, unsaved: false, guarded: false };
}

const isInside = (path: string, root: string) => path === root || path.startsWith(`${root}/`);

/** Programs that reach the network whatever they are told, and those that do with some commands. */
const NETWORK = new Set(
  'curl wget ssh scp sftp rsync ftp nc ping dig nslookup gh glab docker podman kubectl aws gcloud az brew apt apt-get pip pip3 pipx uvx npx bunx tmux workmux claude codex gemini'.split(
    ' ',
  ),
);
const REACHING: Readonly<Record<string, RegExp>> = {
  git: /^(?:fetch|pull|push|clone|ls-remote|submodule|remote)$/u,
  npm: /^(?:i|install|ci|publish|view|add|update|audit|login|exec|outdated|info)$/u,
  pnpm: /^(?:i|install|add|update|publish|dlx|audit|outdated)$/u,
  yarn: /^(?:install|add|upgrade|publish|dlx|audit)$/u,
  bun: /^(?:install|i|add|update|publish|x|create)$/u,
  go: /^(?:get|install|mod)$/u,
  cargo: /^(?:install|fetch|update|publish|add|search)$/u,
  uv: /^(?:sync|pip|add|tool|lock)$/u,
  mise: /^(?:install|use|upgrade)$/u,
  bd: /^(?:sync|dolt|push|pull)$/u,
};
const TEMPORARY = /^(?:\/tmp|\/private\/tmp|\/var\/folders|\/dev\/(?:null|stdout|stderr|tty))(?:\/|$)/u;

/** A static reading of the whole line, with everything nested in it. */
function needsMore(line: string, root: string): boolean {
  const script = parse(line);
  if (script.errors && script.errors.length > 0) return true;
  let more = false;
  let folder = root;
  const look = (node: SyntaxNode): void => {
    if (more) return;
    if ('errors' in node && node.errors && node.errors.length > 0) more = true;
    if (node.type === 'Command') {
      const read = readCommand(node, folder, root);
      more ||= read.more;
      folder = read.folder;
    }
    if (node.type === 'Redirect' && /[>]/u.test(node.operator)) {
      const target = node.target?.value ?? '';
      more ||=
        node.target?.parts?.some(
          ({ type }) => type !== 'SingleQuoted' && type !== 'DoubleQuoted' && type !== 'Literal',
        ) === true || leaves(target, folder, root);
    }
    forEachChild(node, look);
  };
  look(script);
  return more;
}

function readCommand(
  node: Extract<CommandNode, { type: 'Command' }>,
  folder: string,
  root: string,
): { readonly more: boolean; readonly folder: string } {
  const same = { more: false, folder };
  if (!node.name) return same;
  const program = posix.basename(node.name.value);
  // A program that the line itself computes.
  if (/[$`]/u.test(node.name.text)) return { more: true, folder };
  const words = node.args.map((each) => (each.type === 'Word' ? each.value : each.text));
  if (program === 'cd') {
    const target = words[0] ?? '~';
    const to = posix.resolve(folder, fold(target));
    return { more: /[$`~]/u.test(target), folder: to };
  }
  const verb = words.find((word) => !word.startsWith('-') && !isInside(word, '/')) ?? '';
  if (NETWORK.has(program) || REACHING[program]?.test(verb) === true) return { more: true, folder };
  // Reading outside is the sandbox's own matter; writing there is not.
  const reads = judgeReading([program, ...words], true).kind === 'reads' || isFilter([program, ...words]);
  if (reads) return same;
  return {
    more: !isInside(folder, root) || words.some((word) => word.startsWith('~') || leaves(word, folder, root)),
    folder,
  };
}

function leaves(word: string, folder: string, root: string): boolean {
  if (word === '' || /^&?\d$/u.test(word)) return false;
  if (!/^(?:\/|[A-Za-z]:[\\/]|\.\.(?:\/|$))/u.test(word)) return false;
  const path = posix.resolve(folder, fold(word));
  return !isInside(path, root) && !TEMPORARY.test(path);
}
