import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkImports } from '../../../scripts/layers/checkImports.ts';
import { findCircles } from '../../../scripts/layers/findCircles.ts';
import { LAYERS, type Layer } from '../../../scripts/layers/rules.ts';
import { ROOT } from '../../../scripts/paths.ts';

function reasonsFor(path: string, text: string): string[] {
  return checkImports([{ path, text }]).map(({ line, reason }) => `${line}: ${reason}`);
}

describe('a bad import fails', () => {
  const rows = LAYERS.filter(({ places }) => places.some((place) => place.startsWith('src/core/')));
  const fileIn = ({ places }: Layer) => (places[0] ?? '').replace(/[/]\*?$/, '/new.ts');

  test.each(rows.slice(1).map((row, index) => [rows[index]?.name ?? '', row.name, rows[index], row] as const))(
    'from %s up to %s, a type too',
    (lower, _, from, to) => {
      if (from === undefined) throw new Error('no row');
      const path = posix.relative(posix.dirname(fileIn(from)), fileIn(to));
      const specifier = path.startsWith('.') ? path : `./${path}`;
      expect(reasonsFor(fileIn(from), `import type { X } from '${specifier}';`)).toEqual([
        `1: ${lower} may not import ${fileIn(to)}`,
      ]);
      expect(reasonsFor(fileIn(to), '')).toEqual([]);
    },
  );

  test.each([
    ['src/core/agent/loop.ts', `import * as vscode from 'vscode';`, '1: agent may not import the package vscode'],
    ['src/core/agent/loop.ts', `\nimport { join } from 'node:path';`, '2: agent may not import the package node:*'],
    ['src/core/agent/loop.ts', `import '../../host/x.ts';`, '1: agent may not import src/host/x.ts'],
    ['src/core/agent/loop.ts', `void import('node:fs/promises');`, '1: agent may not import the package node:*'],
    ['src/core/agent/loop.ts', `export * from '../../host/x.ts';`, '1: agent may not import src/host/x.ts'],
    [
      'src/api/index.ts',
      `let x: import('../core/errors.ts').ToolError;`,
      '1: src/api may not import src/core/errors.ts',
    ],
    ['src/protocol/row.ts', `import { m } from '../core/m.ts';`, '1: src/protocol may not import src/core/m.ts'],
    [
      'src/core/agent/loop.ts',
      `import type { Row } from '../../protocol/rows.ts';`,
      '1: agent may not import src/protocol/rows.ts',
    ],
    [
      'src/core/agent/loop.ts',
      `import { Transcript } from '../transcript/transcript.ts';`,
      '1: agent may not import src/core/transcript/transcript.ts',
    ],
    ['webview/main.ts', `import '../src/core/m.ts';`, '1: webview may not import src/core/m.ts'],
    [
      'webview/main.ts',
      `import { vsCodeButton } from '@vscode/webview-ui-toolkit';`,
      '1: webview may not import the package @vscode/webview-ui-toolkit',
    ],
    ['src/stray.ts', '', '1: lies in no layer of scripts/layers/rules.ts'],
  ])('%s: %s', (path, text, reason) => {
    expect(reasonsFor(path, text)).toEqual([reason]);
  });
});

test.each([
  ['src/core/agent/loop.ts', `import * as z from 'zod'; import { ToolError } from '../errors.ts';`],
  ['src/core/transcript/row.ts', `import { rowSchema } from '../../protocol/rows.ts'; import '../context/message.ts';`],
  ['src/host/shell.ts', `import { spawn } from 'node:child_process'; import * as vscode from 'vscode';`],
  ['webview/toolkit.ts', `import { vsCodeButton } from '@vscode/webview-ui-toolkit';`],
  ['webview/page/composer.ts', `import '../toolkit.ts'; import { html } from 'lit/html.js';`],
])('a good import passes in %s', (path, text) => {
  expect(reasonsFor(path, text)).toEqual([]);
});

test('every place of the table is there', () => {
  const places = LAYERS.flatMap((layer) => layer.places).map((place) => place.replace(/[*]$/, ''));
  expect(places.filter((place) => !existsSync(join(ROOT, place)))).toEqual([]);
});

test('files that import each other are a circle, through others and for a type alone too', () => {
  const sources = Object.entries({
    'src/a.ts': `import { b } from './rooms/b.ts';`,
    'src/rooms/b.ts': `import { type C, c } from './c.ts';`,
    'src/rooms/c.ts': `export * from '../a.ts'; import './d.ts';`,
    'src/rooms/d.ts': `void import('./e.ts'); import 'node:fs'; import { f } from './f.ts';`,
    'src/rooms/e.ts': `type D = import('./d.ts').D;`,
    'src/rooms/f.ts': `import type { G } from './g.ts';`,
    'src/rooms/g.ts': `export type { F } from './f.ts';`,
  }).map(([path, text]) => ({ path, text }));
  expect(findCircles(sources)).toEqual([
    ['src/rooms/f.ts', 'src/rooms/g.ts'],
    ['src/rooms/d.ts', 'src/rooms/e.ts'],
    ['src/a.ts', 'src/rooms/b.ts', 'src/rooms/c.ts'],
  ]);
});
