/**
 * Finds what a person should see at a glance in a command line: that it deletes, or names a place outside of the folder in
 * which it runs. It decides nothing, so it may miss what a script hides; it also looks into what has no certain meaning.
 */

import { forEachChild, parse, type SyntaxNode } from 'unbash';
import { type Words, words } from '../../words.ts';
import { showCommandInOneLine } from '../text/showHidden.ts';

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

/** A sentence each; `folder` is where the line runs. Empty when there is nothing to point out. */
export function findDanger(line: string, folder: string): Words {
  const found: { deletes: string | null; outside: string | null } = { deletes: null, outside: null };
  const look = (node: SyntaxNode): void => {
    if (node.type === 'Command' && node.name) {
      const args = node.args.map((each) => (each.type === 'Word' ? each.value : each.text));
      lookAt([node.name.value, ...args], folder, found, line.slice(node.pos, node.end));
    }
    if (node.type === 'Redirect' && node.operator.includes('>')) {
      const target = node.target?.value ?? '';
      if (isOutside(target, folder)) found.outside ??= target;
    }
    forEachChild(node, look);
  };
  if (line.length <= LONGEST_LINE) look(parse(line));
  return [
    ...(found.deletes === null ? [] : words('It deletes: {0}', show(found.deletes))),
    ...(found.outside === null ? [] : words('It names a place outside this folder: {0}', show(found.outside))),
  ];
}

const show = (text: string) => {
  const shown = showCommandInOneLine(text);
  return shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}…` : shown;
};

function lookAt(
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
  return OUTSIDE.test(word) && word !== folder && !word.startsWith(`${folder}/`) && !word.startsWith(`${folder}\\`);
}
