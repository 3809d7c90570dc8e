/**
 * Folders from elsewhere whose repository leads to another one. Each is made with real git, and shown first to tell of the
 * other one by a plain command; then nothing of it is told without a question that says why. What only looks like
 * them works as ever.
 */

import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ForeignGit } from '../../support/foreignGit.ts';

interface Form {
  readonly name: string;
  readonly arrange: (git: ForeignGit) => void;
  /** A plain command that tells of the other repository; null where git itself shows nothing of what it reads. */
  readonly leaks: readonly string[] | null;
  /** Why a command that reads is asked about. */
  readonly why: RegExp;
  /** Other systems have no such names. */
  readonly linuxOnly?: true;
  /** `git_changes` tells of the folder's own file, but nothing of the other repository. */
  readonly compares?: true;
}

const LOG = ['log', '-p'];
const STATUS = ['status'];
const REMOTE = ['remote', '-v'];
const UNNAMED = /^Its repository is outside the open folders and does not name this folder: /u;
const LEADS_ELSEWHERE = /^Its repository leads elsewhere: /u;
const OTHER_TREE = /^Its repository is that of another folder: /u;
const PROGRAMS = /^The configuration of its repository may start programs: /u;
const NONE = /^There is no repository of git in the folder\.$/u;
const READING = [
  'git status',
  'git log -p -3',
  'git show',
  'git diff',
  'git branch -a',
  'git ls-files',
  'git remote -v',
];

/** A repository of its own that lacks the objects of the other one's newest commit, which it names. */
const lacking = (git: ForeignGit, folder = 'evil') => {
  git.init(folder);
  const id = git.git('other', 'rev-parse', 'HEAD');
  git.write(`${folder}/.git/refs/heads/main`, id);
  // Nothing of its own is in the way.
  rmSync(git.path(`${folder}/.git/index`));
};
const alternates = (git: ForeignGit, text: string, folder = 'evil') => {
  lacking(git, folder);
  git.write(`${folder}/.git/objects/info/alternates`, text);
};
const linked = (git: ForeignGit, target: string, path: string) => {
  rmSync(git.path(path), { recursive: true, force: true });
  git.link(target, path);
};
/** A part of the folder's repository is a link to that of the other one, or to any other file. */
const part = (
  name: string,
  leaks: readonly string[] | null,
  more: (git: ForeignGit) => void = () => undefined,
): Form => ({
  name: `a link in place of ${name}`,
  arrange: (git) => {
    git.init('evil');
    more(git);
    const up = '../'.repeat(name.split('/').length + 1);
    linked(git, `${up}other/.git/${name}`, `evil/.git/${name}`);
  },
  leaks,
  why: LEADS_ELSEWHERE,
});
const file = (name: string, leaks: readonly string[] | null, text = 'VICTIM*\n'): Form => ({
  name: `a link to any file in place of ${name}`,
  arrange: (git) => {
    git.init('evil');
    git.write('VICTIM.list', text);
    linked(git, `${'../'.repeat(name.split('/').length + 1)}VICTIM.list`, `evil/.git/${name}`);
  },
  leaks,
  why: LEADS_ELSEWHERE,
});
const configured = (git: ForeignGit, key: string, value: string) => {
  git.init('evil');
  git.git('evil', 'config', key, value);
};
const variable = (name: string, path: string, leaks: readonly string[] | null): Form => ({
  name: `the variable ${name}`,
  arrange: (git) => {
    git.init('evil');
    git.variables[name] = `${git.other}/${path}`;
  },
  leaks,
  why: /^The variable GIT_\w+ leads git elsewhere\.$/u,
  compares: true,
});
/** A path that ends with a byte which is no valid text. */
const odd = (git: ForeignGit, path: string) => Buffer.concat([Buffer.from(git.path(path)), Buffer.from([0xff])]);
/** With a submodule. */
const superproject = (git: ForeignGit, folder: string) => {
  git.init(folder);
  git.init(`${folder}-part`);
  git.git(folder, 'submodule', '--quiet', 'add', `../${folder}-part`, 'sub');
  git.commit(folder, 'with a part');
  git.write(`${folder}/a.txt`, 'three\n');
  git.write(`${folder}/sub/a.txt`, 'two\n');
};
const inside = (git: ForeignGit, path: string) => {
  git.open = [git.path(path)];
  git.cwd = git.path(path);
};

/** An index of several packs, with another beginning of the names of its packs. */
function renamePacks(index: Buffer, prefix: string): Buffer {
  const count = index[6] ?? 0;
  const tableEnd = 12 + (count + 1) * 12;
  const head = Buffer.from(index.subarray(0, tableEnd));
  const offset = (nth: number) => Number(index.readBigUInt64BE(16 + nth * 12));
  const parts: Buffer[] = [];
  let at = tableEnd;
  for (let nth = 0; nth <= count; nth++) {
    head.writeBigUInt64BE(BigInt(at), 16 + nth * 12);
    if (nth === count) break;
    const part = index.subarray(offset(nth), offset(nth + 1));
    const isNames = index.toString('latin1', 12 + nth * 12, 16 + nth * 12) === 'PNAM';
    const names = part.toString('latin1').replace(/[^\0]+\0/gu, (name) => prefix + name);
    parts.push(isNames ? Buffer.from(names.padEnd(Math.ceil(names.length / 4) * 4, '\0'), 'latin1') : part);
    at += parts.at(-1)?.length ?? 0;
  }
  return Buffer.concat([head, ...parts, Buffer.alloc(20)]);
}

const FORMS: readonly Form[] = [
  // Where `.git` leads.
  {
    name: 'a file that names the other one',
    arrange: (git) => git.write('evil/.git', 'gitdir: ../other/.git\n'),
    leaks: LOG,
    why: UNNAMED,
  },
  {
    name: 'a file with an absolute name',
    arrange: (git) => git.write('evil/.git', `gitdir: ${git.other}/.git\n`),
    leaks: LOG,
    why: UNNAMED,
  },
  {
    name: 'a file with a roundabout name',
    arrange: (git) => git.write('evil/.git', 'gitdir: ./../evil/../other/./.git/\r\n'),
    leaks: LOG,
    why: UNNAMED,
  },
  {
    name: 'a file with a name that is no valid text, beside one that we would read in its place',
    arrange: (git) => {
      git.init('evil');
      renameSync(git.path('evil/.git'), git.path('evil/g\uFFFD'));
      cpSync(git.path('evil/g\uFFFD'), git.path('evil/copy'), { recursive: true });
      renameSync(git.path('evil/copy'), odd(git, 'evil/g'));
      writeFileSync(
        Buffer.concat([odd(git, 'evil/g'), Buffer.from('/config')]),
        `[include]path=${git.other}/.git/config\n`,
      );
      writeFileSync(git.path('evil/.git'), Buffer.from('gitdir: g\xff\n', 'latin1'));
    },
    leaks: REMOTE,
    why: LEADS_ELSEWHERE,
    linuxOnly: true,
  },
  {
    name: 'other objects in a folder whose name ends with a carriage return, beside one without',
    arrange: (git) => {
      alternates(git, '../../store\r\n');
      mkdirSync(git.path('evil/store'));
      git.link('../other/.git/objects', 'evil/store\r');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
    linuxOnly: true,
  },
  {
    name: 'other objects in a folder whose name is no valid text',
    arrange: (git) => {
      alternates(git, '');
      mkdirSync(git.path('evil/store\uFFFD'));
      symlinkSync('../other/.git/objects', odd(git, 'evil/store'));
      const list = Buffer.from('../../store\xff\n', 'latin1');
      writeFileSync(git.path('evil/.git/objects/info/alternates'), list);
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
    linuxOnly: true,
  },
  {
    name: 'an included configuration whose name is no valid text',
    arrange: (git) => {
      git.init('evil');
      git.write('evil/c\uFFFD', '');
      symlinkSync('../other/.git/config', odd(git, 'evil/c'));
      writeFileSync(git.path('evil/.git/config'), Buffer.from('[include]path=../c\xff\n', 'latin1'), { flag: 'a' });
    },
    leaks: REMOTE,
    why: LEADS_ELSEWHERE,
    linuxOnly: true,
  },
  {
    name: 'links to packs whose names are no valid text, beside files that we would read in their place',
    arrange: (git) => {
      lacking(git);
      git.git('other', 'repack', '-adq');
      const packs = git.path('other/.git/objects/pack');
      for (const name of readdirSync(packs)) {
        const end = name.slice(name.lastIndexOf('.'));
        git.write(`evil/.git/objects/pack/pack-\uFFFD${end}`, '');
        const link = Buffer.concat([odd(git, 'evil/.git/objects/pack/pack-'), Buffer.from(end)]);
        symlinkSync(join(packs, name), link);
      }
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
    linuxOnly: true,
  },
  {
    name: 'a file that names a bare one',
    arrange: (git) => {
      git.git('.', 'clone', '-q', '--bare', 'other', 'bare.git');
      git.write('evil/.git', 'gitdir: ../bare.git\n');
    },
    leaks: LOG,
    why: UNNAMED,
  },
  { name: 'a link', arrange: (git) => git.link('../other/.git', 'evil/.git'), leaks: LOG, why: UNNAMED },
  {
    name: 'a link with an absolute name',
    arrange: (git) => git.link(`${git.other}/.git`, 'evil/.git'),
    leaks: LOG,
    why: UNNAMED,
  },
  {
    name: 'a link to the file of a work tree',
    arrange: (git) => {
      git.git('other', 'worktree', 'add', '-q', '../tree');
      git.link('../tree/.git', 'evil/.git');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a file that names the place of a work tree',
    arrange: (git) => {
      git.git('other', 'worktree', 'add', '-q', '../tree');
      git.write('evil/.git', 'gitdir: ../other/.git/worktrees/tree\n');
    },
    leaks: LOG,
    why: UNNAMED,
  },
  {
    name: 'a file that names the place of a work tree that is gone',
    arrange: (git) => {
      git.git('other', 'worktree', 'add', '-q', '../tree');
      rmSync(git.path('tree'), { recursive: true });
      git.write('evil/.git', 'gitdir: ../other/.git/worktrees/tree\n');
    },
    leaks: LOG,
    why: UNNAMED,
  },
  {
    name: 'a file that names a work tree through a link',
    arrange: (git) => {
      git.git('other', 'worktree', 'add', '-q', '../tree');
      git.link('../other/.git/worktrees/tree', 'evil/admin');
      git.write('evil/.git', 'gitdir: admin\n');
    },
    leaks: LOG,
    why: UNNAMED,
  },
  {
    name: 'a file that names the place of a submodule',
    arrange: (git) => {
      superproject(git, 'super');
      git.write('super/.git/modules/sub/description', '');
      git.git('super/sub', 'commit', '-q', '--allow-empty', '-m', 'VICTIM');
      git.write('evil/.git', 'gitdir: ../super/.git/modules/sub\n');
    },
    leaks: LOG,
    why: UNNAMED,
  },
  {
    name: 'a file that names a link',
    arrange: (git) => {
      git.link('../other/.git', 'evil/store');
      git.write('evil/.git', 'gitdir: store\n');
    },
    leaks: LOG,
    why: UNNAMED,
  },
  {
    name: 'a file that names a link on the way',
    arrange: (git) => {
      git.link('..', 'evil/up');
      git.write('evil/.git', 'gitdir: up/other/.git\n');
    },
    leaks: LOG,
    why: UNNAMED,
  },
  {
    name: 'a file in a folder below',
    arrange: (git) => {
      git.init('evil');
      git.write('evil/sub/.git', 'gitdir: ../../other/.git\n');
      git.cwd = git.path('evil/sub');
    },
    leaks: LOG,
    why: UNNAMED,
    compares: true,
  },
  {
    name: 'a link in a folder below',
    arrange: (git) => {
      git.init('evil');
      git.link('../../other/.git', 'evil/sub/.git');
      git.cwd = git.path('evil/sub');
    },
    leaks: LOG,
    why: UNNAMED,
    compares: true,
  },
  {
    name: 'a file above the open folder',
    arrange: (git) => {
      git.write('evil/.git', 'gitdir: ../other/.git\n');
      git.write('evil/sub/a.txt', 'one\n');
      inside(git, 'evil/sub');
    },
    leaks: LOG,
    why: UNNAMED,
  },
  {
    name: 'a link above the open folder',
    arrange: (git) => {
      git.link('../other/.git', 'evil/.git');
      git.write('evil/sub/a.txt', 'one\n');
      inside(git, 'evil/sub');
    },
    leaks: LOG,
    why: UNNAMED,
  },
  // Where the parts that work trees share are.
  {
    name: 'a shared folder outside',
    arrange: (git) => {
      git.init('evil');
      git.write('evil/.git/commondir', '../../other/.git\n');
      git.write('evil/.git/HEAD', 'ref: refs/heads/VICTIM-branch\n');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a shared folder outside by its absolute name',
    arrange: (git) => {
      git.init('evil');
      git.write('evil/.git/commondir', `${git.other}/.git\n`);
    },
    leaks: ['log', '--all'],
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a shared folder through a link',
    arrange: (git) => {
      git.init('evil');
      git.link('../../other/.git', 'evil/.git/shared');
      git.write('evil/.git/commondir', 'shared\n');
    },
    leaks: ['log', '--all'],
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a link in place of the name of the shared folder',
    arrange: (git) => {
      git.init('evil');
      git.write('pointer', '../../other/.git\n');
      git.link('../../pointer', 'evil/.git/commondir');
    },
    leaks: ['log', '--all'],
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a shared folder outside, of an inner folder that points back',
    arrange: (git) => {
      git.write('evil/.git', 'gitdir: fake/worktrees/x\n');
      git.write('evil/fake/worktrees/x/HEAD', 'ref: refs/heads/VICTIM-branch\n');
      git.write('evil/fake/worktrees/x/gitdir', `${git.evil}/.git\n`);
      git.write('evil/fake/worktrees/x/commondir', '../../../../other/.git\n');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a shared folder outside, of an inner folder through a link',
    arrange: (git) => {
      git.link('../../other/.git', 'evil/fake/common');
      git.write('evil/.git', 'gitdir: fake/worktrees/x\n');
      git.write('evil/fake/worktrees/x/HEAD', 'ref: refs/heads/VICTIM-branch\n');
      git.write('evil/fake/worktrees/x/gitdir', `${git.evil}/.git\n`);
      git.write('evil/fake/worktrees/x/commondir', '../../common\n');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a shared folder outside, above the open folder',
    arrange: (git) => {
      git.init('evil');
      git.write('evil/.git/commondir', '../../other/.git\n');
      git.write('evil/sub/a.txt', 'one\n');
      inside(git, 'evil/sub');
    },
    leaks: ['log', '--all'],
    why: LEADS_ELSEWHERE,
  },
  // Where objects come from.
  {
    name: 'other objects',
    arrange: (git) => alternates(git, '../../../other/.git/objects\n'),
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'other objects by their absolute name',
    arrange: (git) => alternates(git, `${git.other}/.git/objects`),
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'other objects behind a comment',
    arrange: (git) => alternates(git, '# none\n\n../../../other/../other/.git/objects/\n'),
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'other objects in quotes',
    arrange: (git) => alternates(git, `"${git.other}/.git/\\157bjects"\n`),
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'other objects of others inside',
    arrange: (git) => {
      alternates(git, `${git.evil}/store/objects\n`);
      git.write('evil/store/objects/info/alternates', `${git.other}/.git/objects\n`);
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'other objects through a link',
    arrange: (git) => {
      alternates(git, '../../store\n');
      git.link('../other/.git/objects', 'evil/store');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'other objects inside that are links',
    arrange: (git) => {
      alternates(git, '../../store\n');
      git.git('other', 'repack', '-adq');
      git.link('../../other/.git/objects/pack', 'evil/store/pack');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'other objects by a list that is a link',
    arrange: (git) => {
      lacking(git);
      git.write('list', `${git.other}/.git/objects\n`);
      git.link('../../../../list', 'evil/.git/objects/info/alternates');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'other objects by a folder that is a link',
    arrange: (git) => {
      lacking(git);
      git.write('list/alternates', `${git.other}/.git/objects\n`);
      linked(git, '../../../list', 'evil/.git/objects/info');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'other objects above the open folder',
    arrange: (git) => {
      alternates(git, '../../../other/.git/objects\n');
      git.write('evil/sub/a.txt', 'one\n');
      inside(git, 'evil/sub');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'other objects of a work tree that does point back',
    arrange: (git) => {
      alternates(git, '../../../other/.git/objects\n', 'main');
      git.git('main', 'worktree', 'add', '-q', '-f', '../evil/tree', 'main');
      inside(git, 'evil/tree');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'objects that are a link',
    arrange: (git) => {
      lacking(git);
      linked(git, '../../other/.git/objects', 'evil/.git/objects');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'packs that are a link',
    arrange: (git) => {
      lacking(git);
      git.git('other', 'repack', '-adq');
      linked(git, '../../../other/.git/objects/pack', 'evil/.git/objects/pack');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'each object a link',
    arrange: (git) => {
      lacking(git);
      for (const each of git.objects('other/.git'))
        linked(git, `${git.other}/.git/objects/${each}`, `evil/.git/objects/${each}`);
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'folders of objects that are links',
    arrange: (git) => {
      lacking(git);
      for (const each of git.objects('other/.git'))
        linked(git, `../../../other/.git/objects/${each.slice(0, 2)}`, `evil/.git/objects/${each.slice(0, 2)}`);
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'packs elsewhere in an index of several packs',
    arrange: (git) => {
      lacking(git);
      git.git('other', 'repack', '-adq');
      git.git('other', 'multi-pack-index', 'write');
      const index = '.git/objects/pack/multi-pack-index';
      const far = renamePacks(readFileSync(git.path(`other/${index}`)), '../../../../other/.git/objects/pack/');
      writeFileSync(git.path(`evil/${index}`), far);
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'references elsewhere in a list of tables',
    arrange: (git) => {
      git.init('evil');
      git.write('evil/.git/reftable/tables.list', '../../../other/.git/reftable/0x000000000001-0x000000000002-a.ref\n');
    },
    leaks: null,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'objects that are a link to a part that git does not read',
    arrange: (git) => {
      lacking(git);
      git.git('other', 'repack', '-adq');
      linked(git, 'modules/store', 'evil/.git/objects');
      git.link('../../../../other/.git/objects/pack', 'evil/.git/modules/store/pack');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'the place of a work tree in a part that git does not read',
    arrange: (git) => {
      git.init('evil/store');
      git.write('evil/.git', 'gitdir: store/.git/hooks/x\n');
      git.write('evil/store/.git/hooks/x/HEAD', 'ref: refs/bisect/x\n');
      git.write('evil/store/.git/hooks/x/commondir', '../..\n');
      git.link('../../../../../../../other/.git/refs/heads/VICTIM-branch', 'evil/store/.git/hooks/x/refs/bisect/x');
    },
    leaks: ['rev-parse', '--short=7', 'HEAD'],
    why: LEADS_ELSEWHERE,
  },
  // Parts that are links.
  part('refs', ['show-ref']),
  part('refs/heads', ['show-ref']),
  part('refs/heads/VICTIM-branch', ['show-ref']),
  part('packed-refs', ['show-ref'], (git) => void git.git('other', 'pack-refs', '--all')),
  part('HEAD', null),
  part('index', ['ls-files']),
  part('config', REMOTE),
  part('logs', ['reflog'], (git) => git.write('evil/.git/HEAD', 'ref: refs/heads/VICTIM-branch\n')),
  part('logs/HEAD', null),
  part('FETCH_HEAD', ['rev-parse', 'FETCH_HEAD'], (git) =>
    git.write('other/.git/FETCH_HEAD', git.git('other', 'rev-parse', 'HEAD')),
  ),
  part('rebase-merge', STATUS, (git) => {
    git.write('other/.git/rebase-merge/head-name', 'refs/heads/VICTIM-branch\n');
    git.write('other/.git/rebase-merge/onto', git.git('other', 'rev-parse', 'HEAD'));
    git.write('other/.git/rebase-merge/interactive', '');
  }),
  part('BISECT_START', STATUS, (git) => {
    git.write('other/.git/BISECT_START', 'VICTIM-branch\n');
    git.write('evil/.git/BISECT_LOG', '');
  }),
  part(
    'worktrees',
    ['worktree', 'list'],
    (git) => void git.git('other', 'worktree', 'add', '-q', '../tree', '-b', 'VICTIM-tree'),
  ),
  file('packed-refs', ['show-ref']),
  file('shallow', LOG),
  file('info/exclude', ['check-ignore', '-v', 'VICTIM']),
  file('info/sparse-checkout', ['-c', 'core.sparseCheckout=true', 'sparse-checkout', 'list']),
  file('info/attributes', null),
  file('info/grafts', null),
  file('worktrees/x/gitdir', ['worktree', 'list'], '/VICTIM/.git\n'),
  // What its configuration names.
  {
    name: 'files elsewhere',
    arrange: (git) => configured(git, 'core.worktree', '../../other'),
    leaks: ['status', '--porcelain'],
    why: OTHER_TREE,
  },
  {
    name: 'files elsewhere by their absolute name',
    arrange: (git) => configured(git, 'core.worktree', git.other),
    leaks: ['status', '--porcelain'],
    why: OTHER_TREE,
  },
  {
    name: 'files elsewhere through a link',
    arrange: (git) => {
      configured(git, 'core.worktree', '../tree');
      git.link('../other', 'evil/tree');
    },
    leaks: ['status', '--porcelain'],
    why: OTHER_TREE,
  },
  {
    name: 'files elsewhere by a configuration of one work tree',
    arrange: (git) => {
      configured(git, 'extensions.worktreeConfig', 'true');
      git.write('evil/.git/config.worktree', '[core]\n\tworktree = ../../other\n');
    },
    leaks: ['status', '--porcelain'],
    why: OTHER_TREE,
  },
  {
    name: 'a configuration outside',
    arrange: (git) => configured(git, 'include.path', '../../other/.git/config'),
    leaks: REMOTE,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a configuration outside by its absolute name',
    arrange: (git) => configured(git, 'include.path', `${git.other}/.git/config`),
    leaks: REMOTE,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a configuration in the home folder',
    arrange: (git) => {
      git.write('nobody/config', '[remote "origin"]\n\turl = https://VICTIM@nowhere.invalid/\n');
      configured(git, 'include.path', '~/config');
    },
    leaks: REMOTE,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a configuration outside on a condition',
    arrange: (git) => configured(git, 'includeIf.gitdir:**.path', '../../other/.git/config'),
    leaks: REMOTE,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a configuration outside through a link',
    arrange: (git) => {
      configured(git, 'include.path', '../shared');
      git.link('../other/.git/config', 'evil/shared');
    },
    leaks: REMOTE,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a configuration outside that one inside names',
    arrange: (git) => {
      configured(git, 'include.path', '../shared');
      git.write('evil/shared', '[include]\n\tpath = ../other/.git/config\n');
    },
    leaks: REMOTE,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a configuration outside, for one work tree',
    arrange: (git) => {
      configured(git, 'extensions.worktreeConfig', 'true');
      git.write('evil/.git/config.worktree', '[include]\n\tpath = ../../other/.git/config\n');
    },
    leaks: REMOTE,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'ignored names outside',
    arrange: (git) => configured(git, 'core.excludesFile', '../VICTIM.list'),
    leaks: ['check-ignore', '-v', 'VICTIM'],
    why: PROGRAMS,
    compares: true,
  },
  {
    name: 'attributes outside',
    arrange: (git) => configured(git, 'core.attributesFile', '../VICTIM.list'),
    leaks: null,
    why: PROGRAMS,
    compares: true,
  },
  {
    name: 'names of people outside',
    arrange: (git) => {
      configured(git, 'mailmap.file', '../people');
      git.write('people', 'VICTIM <a@b>\n');
    },
    leaks: LOG,
    why: PROGRAMS,
    compares: true,
  },
  {
    name: 'references outside',
    arrange: (git) => configured(git, 'extensions.refStorage', 'files:///other'),
    leaks: null,
    why: LEADS_ELSEWHERE,
  },
  // Repositories within it.
  ...(['file', 'link'] as const).map(
    (kind): Form => ({
      name: `a submodule whose .git is a ${kind}`,
      arrange: (git) => {
        superproject(git, 'evil');
        rmSync(git.path('evil/sub/.git'), { recursive: true });
        if (kind === 'file') git.write('evil/sub/.git', 'gitdir: ../../other/.git\n');
        else git.link('../../other/.git', 'evil/sub/.git');
      },
      leaks: ['diff', '--ignore-submodules=dirty'],
      why: /^(?:Its repository holds others|The configuration of its repository may start)/u,
    }),
  ),
  {
    name: 'a submodule that shares a folder outside',
    arrange: (git) => {
      superproject(git, 'evil');
      git.write('evil/.git/modules/sub/commondir', '../../../../other/.git\n');
      git.write('evil/.git/modules/sub/HEAD', 'ref: refs/heads/VICTIM-branch\n');
      git.cwd = git.path('evil/sub');
    },
    leaks: LOG,
    why: LEADS_ELSEWHERE,
  },
  {
    name: 'a bare repository with other objects',
    arrange: (git) => {
      git.init('evil');
      alternates(git, `${git.other}/.git/objects\n`, 'made');
      renameSync(git.path('made/.git'), git.path('evil/bare.git'));
      git.git('evil/bare.git', 'config', 'core.bare', 'true');
      git.cwd = git.path('evil/bare.git');
    },
    leaks: LOG,
    why: NONE,
    compares: true,
  },
  {
    name: 'the parts of the other one side by side',
    arrange: (git) => {
      git.write('evil/HEAD', 'ref: refs/heads/VICTIM-branch\n');
      for (const each of ['objects', 'refs', 'config']) git.link(`../other/.git/${each}`, `evil/${each}`);
    },
    leaks: ['log', '-p', '--all'],
    why: NONE,
  },
  {
    name: 'a repository where no tool reaches',
    arrange: (git) => {
      renameSync(git.other, git.path('evil/kept'));
      git.write('evil/.git', 'gitdir: kept/.git\n');
      git.denied = [git.path('evil/kept')];
    },
    leaks: LOG,
    why: UNNAMED,
  },
  // Variables of the editor.
  variable('GIT_DIR', '.git', LOG),
  variable('GIT_COMMON_DIR', '.git', REMOTE),
  variable('GIT_WORK_TREE', '', ['status', '--porcelain']),
  variable('GIT_INDEX_FILE', '.git/index', ['ls-files']),
  variable('GIT_OBJECT_DIRECTORY', '.git/objects', null),
  variable('GIT_ALTERNATE_OBJECT_DIRECTORIES', '.git/objects', null),
  variable('GIT_SHALLOW_FILE', 'VICTIM.txt', LOG),
  // The hooks of a work tree are with what it shares.
  {
    name: 'a hook of the main work tree',
    arrange: (git) => {
      git.init('evil');
      git.git('evil', 'worktree', 'add', '-q', 'tree');
      git.write('evil/.git/hooks/post-index-change', '#!/bin/sh\necho VICTIM >&2\n');
      chmodSync(git.path('evil/.git/hooks/post-index-change'), 0o755);
      utimesSync(git.path('evil/tree/a.txt'), 1, 1);
      git.cwd = git.path('evil/tree');
    },
    leaks: STATUS,
    why: /has a hook that reading starts/u,
    compares: true,
  },
];

const able = process.platform !== 'win32';

describe.skipIf(!able)('a repository that leads to another one', { tags: ['long'] }, () => {
  test('there are at least 60 forms', () => {
    expect(new Set(FORMS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(60);
  });

  const here = FORMS.filter(({ linuxOnly }) => !linuxOnly || process.platform === 'linux');
  test.each(here)('$name', async ({ arrange, leaks, why, compares }) => {
    const git = new ForeignGit();
    arrange(git);
    const { marks } = git;
    if (leaks) expect(git.plain(leaks), 'git by itself shows it').toMatch(marks);
    const { diff, all } = await git.changes();
    expect(all.replaceAll(/Its repository [^"]*/gu, '').replaceAll('VICTIM.list', '')).not.toMatch(marks);
    if (compares) expect(diff).toContain('-one\n+two');
    else
      expect(diff).toMatch(
        /ToolError: (?:(?:In [\w.]+: )?Its repository .* Git is not run there unasked\.|git cannot tell \(not a git repository\))/u,
      );
    for (const line of READING)
      expect({ line, why: await git.asks(line) }).toEqual({ line, why: expect.stringMatching(why) });
    if (leaks) expect(await git.asks(`git ${leaks.join(' ')}`)).not.toBe('runs');
  });
});

interface Honest {
  readonly name: string;
  readonly arrange: (git: ForeignGit) => void;
  /** Why reading commands are asked about, where they always were. */
  readonly why?: RegExp;
}

const HONEST: readonly Honest[] = [
  { name: 'a repository', arrange: (git) => git.init('evil') },
  {
    name: 'a repository in a folder below',
    arrange: (git) => {
      git.init('evil');
      git.init('evil/inner');
      git.cwd = git.path('evil/inner');
    },
  },
  {
    name: 'a folder of a repository that is above',
    arrange: (git) => {
      git.init('evil');
      git.init('evil/sub', '--separate-git-dir', git.path('unused'));
      rmSync(git.path('evil/sub/.git'));
      git.git('evil', 'add', 'sub');
      git.git('evil', 'commit', '-qm', 'sub', 'sub');
      git.write('evil/sub/a.txt', 'one\n');
      git.git('evil', 'commit', '-qam', 'again');
      git.write('evil/sub/a.txt', 'two\n');
      inside(git, 'evil/sub');
    },
    why: /^It reads outside the open folders: /u,
  },
  {
    name: 'a work tree',
    arrange: (git) => {
      git.init('main');
      git.git('main', 'worktree', 'add', '-q', '../evil/tree');
      git.write('evil/tree/a.txt', 'two\n');
      inside(git, 'evil/tree');
    },
  },
  {
    name: 'a work tree by relative names',
    arrange: (git) => {
      git.init('main');
      git.git('main', 'worktree', 'add', '-q', '../tree');
      git.write('tree/.git', 'gitdir: ../main/.git/worktrees/tree\n');
      git.write('main/.git/worktrees/tree/gitdir', '../../../../tree/.git\n');
      git.write('tree/a.txt', 'two\n');
      inside(git, 'tree');
    },
  },
  {
    name: 'a work tree of a bare repository beside it',
    arrange: (git) => {
      git.init('made');
      git.git('.', 'clone', '-q', '--bare', 'made', 'evil/.bare');
      git.write('evil/.git', 'gitdir: ./.bare\n');
      git.git('evil', 'worktree', 'add', '-q', 'main');
      git.write('evil/main/a.txt', 'two\n');
      inside(git, 'evil/main');
    },
  },
  {
    name: 'a work tree opened through a link',
    arrange: (git) => {
      git.init('main');
      git.git('main', 'worktree', 'add', '-q', '../tree');
      git.write('tree/a.txt', 'two\n');
      git.link('tree', 'name');
      inside(git, 'name');
    },
  },
  {
    name: 'a folder of a work tree that is above',
    arrange: (git) => {
      git.init('main');
      git.write('main/sub/a.txt', 'one\n');
      git.commit('main', 'sub');
      git.git('main', 'worktree', 'add', '-q', '../tree');
      git.write('tree/sub/a.txt', 'two\n');
      inside(git, 'tree/sub');
    },
    why: /^It reads outside the open folders: /u,
  },
  {
    name: 'a repository with work trees elsewhere',
    arrange: (git) => {
      git.init('evil');
      git.git('evil', 'worktree', 'add', '-q', '../tree');
    },
  },
  {
    name: 'a repository with a submodule',
    arrange: (git) => {
      superproject(git, 'evil');
      git.write('evil/a.txt', 'one\n');
      git.commit('evil', 'all');
      git.write('evil/a.txt', 'two\n');
    },
    why: /^The configuration of its repository may start programs: /u,
  },
  {
    name: 'a submodule',
    arrange: (git) => {
      superproject(git, 'evil');
      inside(git, 'evil/sub');
    },
  },
  {
    name: 'a submodule within its open repository',
    arrange: (git) => {
      superproject(git, 'evil');
      git.cwd = git.path('evil/sub');
      git.write('evil/a.txt', 'one\n');
      git.commit('evil', 'all');
      git.write('evil/a.txt', 'two\n');
    },
  },
  {
    name: 'a work tree of a submodule',
    arrange: (git) => {
      superproject(git, 'super');
      git.git('super/sub', 'worktree', 'add', '-q', '../../tree');
      git.write('tree/a.txt', 'two\n');
      inside(git, 'tree');
    },
  },
  {
    name: 'other objects in the same folder',
    arrange: (git) => {
      git.init('evil/store');
      git.git('evil', 'clone', '-q', '--shared', 'store', 'copy');
      git.write('evil/copy/a.txt', 'two\n');
      renameSync(git.path('evil/copy/.git'), git.path('evil/.git'));
      renameSync(git.path('evil/copy/a.txt'), git.path('evil/a.txt'));
    },
  },
  {
    name: 'a sparse repository',
    arrange: (git) => {
      git.init('evil');
      git.write('evil/far/b.txt', 'one\n');
      git.write('evil/a.txt', 'one\n');
      git.commit('evil', 'far');
      git.git('evil', 'sparse-checkout', 'set', '--cone', 'near');
      git.write('evil/a.txt', 'two\n');
    },
    why: /^The configuration of its repository may start programs: /u,
  },
  {
    name: 'a shallow clone',
    arrange: (git) => {
      git.init('made');
      git.commit('made', 'second');
      git.write('made/a.txt', 'one\n');
      git.commit('made', 'third');
      git.git('.', 'clone', '-q', '--depth=1', `file://${git.path('made')}`, 'evil');
      git.write('evil/a.txt', 'two\n');
    },
  },
  {
    name: 'a partial clone',
    arrange: (git) => {
      git.init('made');
      git.git('made', 'config', 'uploadpack.allowFilter', 'true');
      git.git('made', 'checkout', '-q', '--', '.');
      git.git('.', 'clone', '-q', '--filter=blob:none', `file://${git.path('made')}`, 'evil');
      git.write('evil/a.txt', 'two\n');
    },
    why: /^The configuration of its repository may start programs: /u,
  },
  {
    name: 'a repository apart in the same folder',
    arrange: (git) => git.init('evil', '--separate-git-dir', git.path('evil/.apart')),
  },
  {
    name: 'a link to a repository in the same folder',
    arrange: (git) => {
      git.init('evil');
      renameSync(git.path('evil/.git'), git.path('evil/.apart'));
      git.link('.apart', 'evil/.git');
    },
  },
  {
    name: 'the repository of another open folder',
    arrange: (git) => {
      git.init('second');
      git.write('evil/a.txt', 'two\n');
      git.write('evil/.git', 'gitdir: ../second/.git\n');
      git.open = [git.evil, git.path('second')];
    },
  },
  {
    name: 'packed objects and references',
    arrange: (git) => {
      git.init('evil');
      git.git('evil', 'gc', '-q');
      git.git('evil', 'multi-pack-index', 'write');
    },
  },
  {
    name: 'a link between parts of the same repository',
    arrange: (git) => {
      git.init('evil');
      rmSync(git.path('evil/.git/HEAD'));
      git.link('refs/heads/main', 'evil/.git/HEAD');
    },
  },
  {
    name: 'hooks that are links',
    arrange: (git) => {
      git.init('evil');
      git.write('hooks/pre-commit', '');
      git.link('../../../hooks/pre-commit', 'evil/.git/hooks/pre-commit');
    },
  },
  {
    name: 'a folder .git that is no repository, below one that is',
    arrange: (git) => {
      git.init('evil');
      git.write('evil/sub/.git/keep', '');
      git.cwd = git.path('evil/sub');
    },
  },
  {
    name: 'a configuration in the same folder',
    arrange: (git) => {
      git.init('evil');
      git.write('evil/shared', '[pull]\n\trebase = true\n');
      git.git('evil', 'config', 'include.path', '../shared');
    },
    why: /^The configuration of its repository may start programs: include.path/u,
  },
  {
    name: 'ignored names of the person',
    arrange: (git) => {
      git.init('evil');
      git.write('nobody/.gitconfig', '[core]\n\texcludesFile = ~/ignored\n');
      git.write('nobody/ignored', '*.log\n');
    },
  },
];

describe.skipIf(!able)('a repository that only looks as if it led elsewhere', { tags: ['long'] }, () => {
  test.each(HONEST)('$name', async ({ arrange, why }) => {
    const git = new ForeignGit();
    arrange(git);
    expect((await git.changes()).diff).toContain('-one\n+two');
    for (const line of ['git status', 'git log -1 -p', 'git diff']) {
      expect({ line, why: await git.asks(line) }).toEqual({ line, why: why ? expect.stringMatching(why) : 'runs' });
    }
  });
});
