/** One Markdown block as sanitised nodes. Raw HTML is shown as text; images become links. */

import { t } from '@vscode/l10n';
import DOMPurify from 'dompurify';
import { Marked, type Token } from 'marked';
import { CodeText, LazyScript, REDRAWN } from './codeText.ts';
import type { Formula } from './marks.ts';
import { fileInCode } from './namedFile.ts';
import { sanitize } from './sanitize.ts';

const markdown = new Marked({
  gfm: true,
  extensions: [
    {
      name: 'formula',
      renderer(token) {
        const { tex, display, block } = token as Formula;
        const tag = block ? 'p' : 'span';
        return `<${tag} class="formula${display ? ' display' : ''}">${escapeHtml(tex)}</${tag}>`;
      },
    },
    {
      name: 'footnote',
      renderer({ label, tokens = [] }) {
        return `<p class="footnote"><sup>${escapeHtml(label)}</sup> ${this.parser.parseInline(tokens)}</p>`;
      },
    },
    {
      name: 'footnoteReference',
      renderer: ({ raw, label }) => `<sup>${/^\d+$/.test(label) ? label : escapeHtml(raw)}</sup>`,
    },
  ],
  renderer: {
    html: ({ text, block }) => (block ? `<p>${escapeHtml(text)}</p>` : escapeHtml(text)),
    image: ({ href, text }) => link(href, escapeHtml(t('image: {0}', text || href))),
    link({ href, tokens }) {
      return link(href, this.parser.parseInline(tokens));
    },
    codespan: ({ text }) => {
      const code = `<code>${escapeHtml(text)}</code>`;
      return fileInCode(text) ? link(text, code) : code;
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    listitem(item) {
      return `<li${item.task ? ' class="task"' : ''}>${this.parser.parse(item.tokens)}</li>\n`;
    },
    code: ({ text, lang }) =>
      `<pre data-lang="${escapeHtml(/^\S*/.exec(lang ?? '')?.[0] ?? '')}" data-info="${escapeHtml(lang ?? '')}"><code>${escapeHtml(text)}</code></pre>`,
  },
});

const BLOCKS = 'p, ul, ol, blockquote, h1, h2, h3, h4, h5, h6';

/** A block that cannot be rendered is shown as its text. */
export function renderSafely(token: Token): DocumentFragment {
  try {
    return renderBlock(token);
  } catch (error) {
    console.warn('Palimpsest: a block of Markdown is shown as plain text.', error);
    const plain = document.createElement('p');
    plain.className = 'plain';
    plain.textContent = token.raw;
    const fragment = document.createDocumentFragment();
    fragment.append(plain);
    return fragment;
  }
}

function renderBlock(token: Token): DocumentFragment {
  const fragment = sanitize(markdown.parser([token]));
  for (const pre of fragment.querySelectorAll('pre')) {
    const code = pre.querySelector('code');
    if (!code) continue;
    const language = pre.dataset.lang ?? '';
    const block = codeBlock(language, code.textContent ?? '', pre.dataset.info ?? '');
    block.code.finish(language);
    pre.replaceWith(block.element);
  }
  // Each block has the direction of its own script, with its marks on that side.
  for (const block of fragment.children) if (block.matches(BLOCKS)) block.setAttribute('dir', 'auto');
  // Code has its own, and no say in that of its block.
  for (const code of fragment.querySelectorAll('code')) code.dir = 'ltr';
  for (const formula of fragment.querySelectorAll<HTMLElement>('.formula')) drawFormula(formula);
  for (const table of fragment.querySelectorAll('table')) wrapTable(table);
  return fragment;
}

/** Maximum characters after the marks of a fence. */
const LONGEST_INFO = 300;

/** A code block with its bar; the buttons are identified by their `data-action`. */
export function codeBlock(language: string, text: string, info: string): { element: HTMLElement; code: CodeText } {
  const element = make('div', 'code');
  if (info !== language) element.dataset.info = info.slice(0, LONGEST_INFO);
  const bar = make('div', 'code-bar');
  const name = make('span', 'code-language');
  name.textContent = language;
  bar.append(
    name,
    action('copy', 'copy', t('Copy code')),
    action('apply', 'git-pull-request-go-to-changes', t('Apply as an edit…')),
    action('insert', 'insert', t('Insert at the cursor')),
    action('newFile', 'new-file', t('Open as a new file')),
  );
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  const code = new CodeText(text);
  pre.append(code.element);
  element.append(bar, pre);
  return { element, code };
}

function action(name: string, icon: string, label: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = `icon codicon codicon-${icon}`;
  button.dataset.action = name;
  button.title = label;
  button.setAttribute('aria-label', label);
  return button;
}

/** Wide tables scroll by themselves, also by keyboard. */
function wrapTable(table: HTMLTableElement): void {
  const wrap = make('div', 'table');
  wrap.tabIndex = 0;
  table.replaceWith(wrap);
  wrap.append(table);
}

function make(tag: 'div' | 'span', className: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  return element;
}

function link(href: string, inner: string): string {
  const target = escapeHtml(href);
  return `<a role="link" tabindex="0" data-href="${target}" title="${target}">${inner}</a>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

// Named as it lies beside the panel's script.
const mathMl = new LazyScript(() => import('./mathMl.js'), 'Palimpsest: formulas are shown as they were written.');

/**
 * Formulas are MathML, which the page draws by itself. Replaces the element's text, now or as soon as the library is
 * there. A formula that it cannot read stays as it was written.
 */
function drawFormula(element: HTMLElement): void {
  mathMl.use(({ toMathMl }, later) => {
    draw(element, toMathMl);
    if (later) element.dispatchEvent(new CustomEvent(REDRAWN, { bubbles: true }));
  });
}

function draw(element: HTMLElement, convert: (tex: string, display: boolean) => string): void {
  const tex = element.textContent ?? '';
  try {
    const math = DOMPurify.sanitize(convert(tex, element.classList.contains('display')), {
      USE_PROFILES: { mathMl: true },
      FORBID_CONTENTS: ['annotation'],
      FORBID_ATTR: ['style', 'href'],
      RETURN_DOM_FRAGMENT: true,
    });
    if (!math.querySelector('math')) return;
    element.title = tex;
    element.replaceChildren(math);
    element.classList.add('drawn');
  } catch {
    // It stays as it was written.
  }
}
