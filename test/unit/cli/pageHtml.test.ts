import { expect, it } from 'vitest';
import { facts, folded, list, section, table, text } from '../../../src/node/pages/blocks.ts';
import { pageHtml } from '../../../src/node/pages/pageHtml.ts';

it('a page becomes one file in which nothing of a session can be markup, and which asks for nothing', () => {
  const evil = '<img src="https://e.example/x" onerror=alert(1)>';
  const html = pageHtml(
    {
      title: evil,
      subtitle: evil,
      blocks: [
        text(evil, 'warning'),
        facts([evil, evil]),
        list([evil]),
        { kind: 'code', text: evil },
        table(evil, [{ title: evil }, { title: 'n', align: 'right' }], [[evil, { text: evil, act: 'x' }]]),
        section(evil, [folded('a', evil, [text('deep')], evil)]),
        {
          kind: 'meter',
          label: evil,
          of: 10,
          bars: [{ name: evil, parts: [{ label: evil, value: 3, tone: 'gone' }] }],
          marks: [],
        },
        { kind: 'actions', actions: [{ id: 'x', label: 'Press' }] },
      ],
    },
    'en',
  );
  expect(html).not.toMatch(/<img|<script|Press/);
  expect(html.match(/&#60;img src=&#34;/g)).toHaveLength(19);
  expect(html).toContain('<td class="right">');
  expect(html).toContain('<details><summary>');
  expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
});
