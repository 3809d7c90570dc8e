/**
 * Colours for code in twelve languages and diagrams. The output is escaped text in `span` elements, and is sanitised
 * nevertheless. Loaded when first needed.
 */

import type { Language } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const LANGUAGES = { bash, cpp, css, diff, go, java, json, python, rust, typescript, xml, yaml };

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

hljs.registerAliases(['javascript', 'js', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' });

hljs.registerAliases(['shell', 'console', 'shellsession'], { languageName: 'bash' });

hljs.registerLanguage('mermaid', mermaid);

/** In characters of one line, to whose end the rules look ahead. A longer one stays plain. */
const MAX_LINE = 2_000;

/** In characters. Code is read again from here back to where no comment, string or block was open. */
const MAX_RUN = 24_000;

export function isKnownLanguage(language: string): boolean {
  return hljs.getLanguage(language) !== undefined;
}

/**
 * HTML of each slice of a code, as if the code had been read whole; null for a slice that stays plain. A slice ends with a
 * line. Each step costs one slice, and what is open before it.
 */
export function* colourSlices(slices: readonly string[], language: string): Generator<string | null> {
  let open = '';
  for (const slice of slices) {
    if (slice.split('\n').some((line) => line.length > MAX_LINE)) {
      open = '';
      yield null;
      continue;
    }
    const { value, _top: mode } = hljs.highlight(open + slice, { language, ignoreIllegals: true });
    yield fromLine(value, open.split('\n').length - 1);
    open = mode && 'parent' in mode && mode.parent ? open + slice : '';
    if (open.length > MAX_RUN) open = '';
  }
}

/** The lines of coloured code from the given one on, counted from 0. */
function fromLine(html: string, first: number): string {
  if (first === 0) return html;
  const open: string[] = [];
  let line = 0;
  for (const found of html.matchAll(/<span [^>]*>|<\/span>|\n/g)) {
    if (found[0] === '</span>') open.pop();
    else if (found[0] !== '\n') open.push(found[0]);
    else if (++line === first) return open.join('') + html.slice(found.index + 1);
  }
  return '';
}

/** Diagrams are shown as their text: drawing them would cost more than the whole panel. */
function mermaid(): Language {
  return {
    name: 'Mermaid',
    contains: [
      { scope: 'meta', begin: /^\s*%%\{/, end: /\}%%/ },
      { scope: 'comment', begin: /%%/, end: /$/ },
      { scope: 'string', begin: /"/, end: /"|$/ },
      { scope: 'string', begin: /\|/, end: /\||$/ },
      { scope: 'operator', match: /<?[-=.~]{2,}[>xo)]{0,2}|-{1,2}\)|[|}][|o]--[|o][|{]/ },
      { scope: 'number', match: /\b\d{4}-\d\d-\d\d\b|\b\d+[dhwm]?\b/ },
    ],
    keywords: {
      $pattern: /[A-Za-z][\w-]*/,
      keyword:
        'flowchart graph sequenceDiagram classDiagram stateDiagram stateDiagram-v2 erDiagram gantt pie journey mindmap timeline ' +
        'gitGraph quadrantChart subgraph end participant actor activate deactivate loop alt else opt par and critical break rect ' +
        'note over class state section title style classDef click linkStyle direction commit branch checkout merge dateFormat',
      literal: 'TB TD BT LR RL left right of as',
    },
  };
}
