/** Whatever else a repository can have git run a program by: `git_changes` runs none of it. */

import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DIFF, expectNoTrapSprings, filter, missing, STATUS, submodule } from '../../support/gitTraps.ts';

expectNoTrapSprings([
  // What tells or compares.
  { name: 'an external diff', arrange: (r) => r.set('diff.external'), ends: 'told', springs: DIFF },
  {
    name: 'a diff driver',
    arrange: (r) => {
      r.set('diff.evil.command');
      r.attribute('diff=evil');
    },
    ends: 'told',
    springs: DIFF,
  },
  {
    name: 'a converter to text',
    arrange: (r) => {
      r.set('diff.evil.textconv');
      r.attribute('diff=evil');
    },
    ends: 'told',
    springs: DIFF,
  },
  {
    name: 'a converter whose output is kept',
    arrange: (r) => {
      r.set('diff.evil.textconv');
      r.set('diff.evil.cachetextconv', 'true');
      r.attribute('diff=evil');
    },
    ends: 'told',
    springs: DIFF,
  },
  {
    name: 'a merge driver',
    arrange: (r) => {
      r.set('merge.evil.driver');
      r.attribute('merge=evil');
    },
    ends: 'told',
  },
  {
    name: 'a pager',
    arrange: (r) => {
      r.set('core.pager');
      r.set('pager.diff');
      r.set('pager.status');
    },
    ends: 'told',
  },
  {
    name: 'a program for signatures',
    arrange: (r) => {
      r.set('gpg.program');
      r.set('gpg.ssh.program');
      r.set('log.showSignature', 'true');
      r.set('commit.gpgSign', 'true');
    },
    ends: 'told',
    springs: ['commit', '-am', 'x'],
  },
  { name: 'a filter for interactive diffs', arrange: (r) => r.set('interactive.diffFilter'), ends: 'told' },
  {
    name: 'a tool for diffs',
    arrange: (r) => {
      r.set('diff.tool', 'evil');
      r.set('difftool.evil.cmd');
      r.set('difftool.prompt', 'false');
    },
    ends: 'told',
    springs: ['difftool'],
  },
  { name: 'an order of files that never ends', arrange: (r) => r.set('diff.orderFile', '/dev/zero'), ends: 'told' },
  {
    name: 'attributes that never end',
    arrange: (r) => r.set('core.attributesFile', '/dev/zero'),
    ends: 'told',
  },
  {
    name: 'attributes that never end, by a link with a relative name',
    arrange: (r) => {
      symlinkSync('/dev/zero', join(r.folder, 'attributes'));
      r.set('core.attributesFile', 'attributes');
    },
    ends: 'told',
  },
  { name: 'ignored names that never end', arrange: (r) => r.set('core.excludesFile', '/dev/zero'), ends: 'told' },
  {
    name: 'ignored names from a pipe that nobody writes',
    arrange: (r) => {
      execFileSync('mkfifo', [join(r.home, 'pipe')]);
      r.set('core.excludesFile', join(r.home, 'pipe'));
    },
    ends: 'told',
  },
  {
    name: 'names of people and revisions that never end',
    arrange: (r) => {
      for (const key of ['mailmap.file', 'blame.ignoreRevsFile', 'commit.template']) r.set(key, '/dev/zero');
    },
    ends: 'told',
  },
  {
    name: 'an included configuration that never ends',
    arrange: (r) => r.configure('[include]\n\tpath = /dev/zero\n'),
    ends: /leads elsewhere/u,
  },
  {
    name: 'attributes of the repository itself that never end',
    arrange: (r) => symlinkSync('/dev/zero', join(r.folder, '.git/info/attributes')),
    ends: /leads elsewhere/u,
  },
  {
    name: 'other places of objects that never end',
    arrange: (r) => symlinkSync('/dev/zero', join(r.folder, '.git/objects/info/alternates')),
    ends: /leads elsewhere/u,
  },
  // What is asked or started beside.
  { name: 'a monitor of files', arrange: (r) => r.set('core.fsmonitor'), ends: 'told', springs: STATUS },
  {
    name: 'hooks',
    arrange: (r) => {
      for (const each of ['post-index-change', 'pre-commit', 'fsmonitor-watchman', 'post-checkout']) r.hook(each);
    },
    ends: 'told',
    springs: ['commit', '-am', 'x'],
  },
  {
    name: 'hooks elsewhere',
    arrange: (r) => {
      r.hook('post-index-change', 'traps');
      r.set('core.hooksPath', join(r.folder, 'traps'));
      r.git('update-index', '--refresh');
    },
    ends: 'told',
    springs: ['add', 'a.txt'],
  },
  {
    name: 'a hook of the configuration',
    arrange: (r) => {
      r.set('hook.evil.command');
      r.set('hook.evil.event', 'post-index-change');
    },
    ends: 'told',
  },
  {
    name: 'aliases of the commands that are used',
    arrange: (r) => {
      for (const each of ['status', 'diff', 'config', 'check-attr', 'rev-parse', 'st'])
        r.set(`alias.${each}`, `!${r.trap}`);
    },
    ends: 'told',
    springs: ['st'],
  },
  {
    name: 'an editor, a browser, a helper for passwords',
    arrange: (r) => {
      for (const each of [
        'core.editor',
        'sequence.editor',
        'credential.helper',
        'core.askPass',
        'browser.evil.cmd',
        'core.alternateRefsCommand',
        'uploadpack.packObjectsHook',
        'trailer.x.command',
      ])
        r.set(each);
    },
    ends: 'told',
    springs: ['commit', '-a'],
  },
  // Remotes and submodules.
  {
    name: 'a remote that is a command',
    arrange: (r) => {
      r.set('protocol.ext.allow', 'always');
      missing(r, { url: `ext::${r.trap}` });
    },
    ends: /git cannot tell/u,
    springs: DIFF,
  },
  {
    name: 'a remote by ssh',
    arrange: (r) => {
      r.set('core.sshCommand');
      missing(r, { url: 'ssh://nowhere.invalid/x' });
    },
    ends: /git cannot tell/u,
    springs: DIFF,
  },
  {
    name: 'a remote by a proxy',
    arrange: (r) => {
      r.set('core.gitProxy');
      missing(r, { url: 'git://nowhere.invalid/x' });
    },
    ends: /git cannot tell/u,
    springs: DIFF,
  },
  {
    name: 'a remote on this disk with its own program',
    arrange: (r) => missing(r, { url: '.', uploadpack: r.trap }),
    ends: /git cannot tell/u,
    springs: DIFF,
  },
  {
    name: 'a submodule with a filter',
    arrange: (r) => submodule(r, (inner) => filter(inner, 'evil')),
    ends: 'told',
    springs: STATUS,
  },
  {
    name: 'a submodule with an external diff',
    arrange: (r) => {
      submodule(r, (inner) => inner.set('diff.external'));
      r.set('diff.submodule', 'diff');
      r.set('status.submoduleSummary', 'true');
    },
    ends: 'told',
    springs: ['diff', '--submodule=diff'],
  },
  {
    name: 'a submodule that is updated by a command',
    arrange: (r) => {
      submodule(r, () => undefined);
      r.set('submodule.inner.update', `!${r.trap}`);
      r.set('submodule.recurse', 'true');
    },
    ends: 'told',
  },
  // The environment of the editor.
  {
    name: 'variables of git',
    beyond: true,
    arrange: (r) => {
      for (const each of [
        'GIT_EXTERNAL_DIFF',
        'GIT_PAGER',
        'GIT_SSH_COMMAND',
        'GIT_ASKPASS',
        'GIT_EDITOR',
        'git_external_diff',
      ])
        r.env[each] = r.trap;
    },
    ends: 'told',
    springs: DIFF,
  },
  {
    name: 'a configuration in variables',
    beyond: true,
    arrange: (r) =>
      Object.assign(r.env, { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'diff.external', GIT_CONFIG_VALUE_0: r.trap }),
    ends: 'told',
    springs: DIFF,
  },
  {
    name: 'a configuration of a variable',
    beyond: true,
    arrange: (r) => {
      r.env.GIT_CONFIG_PARAMETERS = `'core.fsmonitor'='${r.trap}'`;
    },
    ends: 'told',
    springs: STATUS,
  },
  {
    name: 'a pager in variables',
    arrange: (r) => {
      r.env.PAGER = r.trap;
      r.env.LESSOPEN = `|${r.trap} %s`;
    },
    ends: 'told',
  },
  // Where the repository is.
  {
    name: 'a repository that a file names',
    arrange: (r) => {
      r.set('diff.external');
      r.git('init', '-q', '--separate-git-dir', join(r.folder, 'apart'));
    },
    ends: 'told',
    springs: DIFF,
  },
  {
    name: 'a bare repository among the files',
    arrange: (r) => {
      rmSync(join(r.folder, '.git'), { recursive: true });
      r.git('init', '-q', '--bare', '.');
      r.set('core.bare', 'false');
      r.set('core.worktree', r.folder);
      r.set('core.fsmonitor');
    },
    ends: /git cannot tell/u,
    springs: STATUS,
  },
  // Neighbours: what is no program is understood as before.
  {
    name: 'an attribute whose filter nobody has set up',
    arrange: (r) => r.attribute('filter=lfs diff=lfs merge=lfs -text'),
    ends: 'told',
  },
  {
    name: 'a filter that no changed file has',
    arrange: (r) => {
      r.set('filter.evil.clean');
      r.write('.gitattributes', '*.bin filter=evil\n');
    },
    ends: 'told',
  },
  {
    name: 'conversion of line ends',
    arrange: (r) => {
      r.set('core.autocrlf', 'true');
      r.attribute('text eol=crlf');
    },
    ends: 'told',
  },
  { name: 'an encoding', arrange: (r) => r.attribute('working-tree-encoding=UTF-8 ident'), ends: 'told' },
]);
