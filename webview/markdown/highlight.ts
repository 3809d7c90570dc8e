/**
 * Colours for code in twelve languages. Its output is escaped text in `span` elements, and is sanitised nevertheless.
 */

import DOMPurify from 'dompurify';
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

/** In characters. Longer code stays plain: colouring it would stall the panel. */
const MAX_CODE = 50_000;

/** The same for one line: rules look ahead to its end. */
const MAX_LINE = 2_000;

/** Replaces the element's text with coloured text if the language is known. */
export function highlightCode(element: HTMLElement, language: string): void {
  const code = element.textContent ?? '';
  if (!hljs.getLanguage(language) || code.length > MAX_CODE) return;
  if (code.split('\n').some((line) => line.length > MAX_LINE)) return;
  element.replaceChildren(sanitize(hljs.highlight(code, { language, ignoreIllegals: true }).value));
}

/**
 * The only conversion from HTML text to nodes. It allows the tags that Markdown produces and nothing that loads, runs,
 * navigates or sets a style. Links carry their target as data: a click goes to the extension, which asks before opening
 * the link.
 */
const TAGS =
  'a blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre span strong table tbody td th thead tr ul'.split(' ');

const ATTRIBUTES = ['align', 'class', 'data-href', 'data-info', 'data-lang', 'role', 'start', 'tabindex', 'title'];

export function sanitize(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
