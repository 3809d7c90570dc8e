/** Filters and attributes by which a repository can have git run a program, wherever they come from: none is run. */

import { join } from 'node:path';
import { DIFF, expectNoTrapSprings, filter, OFF } from '../../support/gitTraps.ts';

expectNoTrapSprings([
  // Filters: each with a name that a file has as its attribute.
  { name: 'a clean filter', arrange: (r) => filter(r, 'evil'), ends: 'notCompared', springs: DIFF },
  {
    name: 'a filter as a long-running process',
    arrange: (r) => filter(r, 'evil', 'process'),
    ends: 'notCompared',
    springs: DIFF,
  },
  { name: 'a filter with a dot in its name', arrange: (r) => filter(r, 'a.b'), ends: 'notCompared', springs: DIFF },
  { name: 'a filter named like a variable', arrange: (r) => filter(r, 'x.clean'), ends: 'notCompared', springs: DIFF },
  { name: 'a filter with letters beyond ASCII', arrange: (r) => filter(r, 'é滤'), ends: 'notCompared', springs: DIFF },
  {
    name: 'a filter that is required',
    arrange: (r) => {
      filter(r, 'evil');
      r.set('filter.evil.required', 'true');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'a filter with an empty name',
    arrange: (r) => {
      r.configure(`[filter ""]\n\tclean = ${r.trap}\n`);
      r.attribute('filter=');
    },
    ends: OFF,
    springs: DIFF,
  },
  {
    name: 'a process with an empty name',
    arrange: (r) => {
      r.configure(`[filter ""]\n\tprocess = ${r.trap}\n`);
      r.attribute('filter=');
    },
    ends: OFF,
    springs: DIFF,
  },
  {
    name: 'an empty name in capital letters',
    arrange: (r) => {
      r.configure(`[FILTER ""]\n\tCLEAN = ${r.trap}\n`);
      r.attribute('filter=');
    },
    ends: OFF,
    springs: DIFF,
  },
  { name: 'a name with an equals sign', arrange: (r) => filter(r, 'a=b'), ends: OFF, springs: DIFF },
  {
    name: 'a name that is no UTF-8',
    arrange: (r) => {
      r.configure(Buffer.from(`[filter "\xff"]\n\tclean = ${r.trap}\n`, 'latin1'));
      r.attribute(Buffer.from('filter=\xff', 'latin1'));
    },
    ends: OFF,
    springs: DIFF,
  },
  {
    name: 'a name that git says of files without a filter',
    arrange: (r) => filter(r, 'unspecified'),
    ends: OFF,
    springs: DIFF,
  },
  { name: 'a name that git says of a bare attribute', arrange: (r) => filter(r, 'set'), ends: OFF },
  { name: 'a key that is not known', arrange: (r) => filter(r, 'evil', 'command'), ends: OFF },
  { name: 'a key without a name', arrange: (r) => r.configure(`[filter]\n\tclean = ${r.trap}\n`), ends: OFF },
  {
    name: 'the older way to write a name',
    arrange: (r) => {
      r.configure(`[filter.evil]\n\tclean = ${r.trap}\n`);
      r.attribute('filter=evil');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'capital letters',
    arrange: (r) => {
      r.configure(`[FILTER "Evil"]\n\tCLEAN = ${r.trap}\n`);
      r.attribute('filter=Evil');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'more filters than are switched off',
    arrange: (r) => {
      for (let nth = 0; nth < 101; nth++) r.configure(`[filter "f${nth}"]\n\tclean = ${r.trap}\n`);
      r.attribute('filter=f100');
    },
    ends: /more than 100 filters/u,
    springs: DIFF,
  },
  // Where a filter or an attribute may come from.
  {
    name: 'attributes of the repository itself',
    arrange: (r) => {
      r.set('filter.evil.clean');
      r.attribute('filter=evil', '.git/info/attributes');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'attributes of a file that the configuration names',
    arrange: (r) => {
      r.set('filter.evil.clean');
      r.attribute('filter=evil', 'attributes');
      r.set('core.attributesFile', join(r.folder, 'attributes'));
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'a macro of attributes',
    arrange: (r) => {
      r.set('filter.evil.clean');
      r.write('.gitattributes', '[attr]mine filter=evil\n*.txt mine\n');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'an included configuration',
    arrange: (r) => {
      r.write('more', `[filter "evil"]\n\tclean = ${r.trap}\n`);
      r.set('include.path', '../more');
      r.attribute('filter=evil');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'a configuration included for this folder',
    arrange: (r) => {
      r.write('more', `[filter ""]\n\tclean = ${r.trap}\n`);
      r.set(`includeIf.gitdir:${r.folder}/.path`, '../more');
      r.attribute('filter=');
    },
    ends: OFF,
    springs: DIFF,
  },
  {
    name: 'a configuration included for this branch',
    arrange: (r) => {
      r.write('more', `[filter "evil"]\n\tclean = ${r.trap}\n`);
      r.set('includeIf.onbranch:main.path', '../more');
      r.attribute('filter=evil');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'the configuration of a worktree',
    arrange: (r) => {
      r.set('extensions.worktreeConfig', 'true');
      r.write('.git/config.worktree', `[filter "evil"]\n\tclean = ${r.trap}\n`);
      r.attribute('filter=evil');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'the person’s own configuration, as LFS has it',
    beyond: true,
    arrange: (r) => {
      r.git('config', '--global', 'filter.lfs.clean', r.trap);
      r.attribute('filter=lfs diff=lfs merge=lfs -text');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
]);
