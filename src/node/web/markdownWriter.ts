/** Writes Markdown as the elements of a page arrive: headings, paragraphs, lists, quotations, code, tables and links. */

import { readUrl } from '../../core/urls.ts';

/** Maximum length of the output in characters. */
const MOST_TEXT = 2_000_000;

const LONGEST_LINK = 500;

/** Maximum nesting of quotations and lists; deeper ones are flattened. */
const MOST_CONTAINERS = 12;

const BLOCKS = new Set(
  'address article aside body center dd details div dl dt fieldset figcaption figure footer form header hr html legend main p section summary table tbody tfoot thead'.split(
    ' ',
  ),
);

/** Elements that do not fit into a one-line cell. */
const NO_CELL = new Set(['blockquote', 'ol', 'pre', 'table', 'ul']);

/** Code is put between fences that it does not contain. */
const FENCES = [3, 4, 5, 8, 13].map((length) => '`'.repeat(length));

const HEADING = /^h([1-6])$/u;

/** The prefix of each line: an item's mark once, then blanks. */
interface Container {
  mark: string;
  readonly rest: string;
}

export class MarkdownWriter {
  readonly #base: URL;
  readonly #lines: string[] = [];
  readonly #containers: Container[] = [];
  /** For each open list: the next number, or null without numbers. */
  readonly #lists: { number: number | null }[] = [];
  readonly #links: string[] = [];
  /** For each open row. `layout`: a cell holds more than a line, so its cells are written below each other. */
  readonly #rows: { cells: number; heads: number; layout: boolean }[] = [];
  /** In pieces: a page may be one line of millions of them. */
  #line: string[] = [];
  /** The line is empty, or ends with a blank. */
  #blank = true;
  /** The last line is empty. */
  #gap = true;
  #length = 0;
  /** The text of open preformatted elements; null outside of them. */
  #code: string | null = null;
  #codeDepth = 0;
  #language = '';

  constructor(base: URL) {
    this.#base = base;
  }

  get full(): boolean {
    return this.#length > MOST_TEXT;
  }

  open(name: string, attributes: Attributes): void {
    if (this.#code !== null) {
      if (name === 'pre') this.#codeDepth++;
      if (name === 'br') this.#code += '\n';
      if (name === 'code') this.#language ||= languageOf(attributes);
      return;
    }
    const heading = HEADING.exec(name)?.[1];
    if (heading || NO_CELL.has(name)) this.#leaveRow();
    if (heading) {
      this.#part();
      this.#add(`${'#'.repeat(Number(heading))} `);
      return;
    }
    switch (name) {
      case 'br':
        this.#break();
        return;
      case 'ul':
      case 'ol':
        if (this.#lists.length === 0) this.#part();
        else this.#break();
        this.#lists.push({ number: name === 'ol' ? (integer(attributes.start) ?? 1) : null });
        return;
      case 'li':
        this.#item();
        return;
      case 'blockquote':
        this.#part();
        this.#containers.push({ mark: '> ', rest: '> ' });
        return;
      case 'pre':
        this.#part();
        this.#code = '';
        this.#codeDepth = 1;
        this.#language = languageOf(attributes);
        return;
      case 'code':
        this.#add('`');
        return;
      case 'a':
        this.#links.push(this.#targetOf(attributes.href));
        if (this.#links.at(-1) !== '') this.#add('[');
        return;
      case 'img':
        if (attributes.alt?.trim()) this.text(`[image: ${attributes.alt}]`);
        return;
      case 'tr':
        // The end tag of a row is optional.
        if (this.#inRow) this.#endRow();
        this.#break();
        this.#rows.push({ cells: 0, heads: 0, layout: false });
        return;
      case 'td':
      case 'th':
        this.#cell(name === 'th');
        return;
      default:
        if (name === 'hr') {
          this.#part();
          this.#add('---');
        }
        if (BLOCKS.has(name)) this.#part();
    }
  }

  text(text: string): void {
    if (this.full) return;
    if (this.#code !== null) {
      this.#code += text;
      this.#length += text.length;
      return;
    }
    const plain = text.replace(/\s+/gu, ' ');
    const joined = this.#blank ? plain.trimStart() : plain;
    if (joined !== '') this.#add(joined);
  }

  close(name: string): void {
    if (this.#code !== null) {
      if (name === 'pre' && --this.#codeDepth === 0) this.#endCode();
      return;
    }
    if (HEADING.test(name)) {
      this.#part();
      return;
    }
    switch (name) {
      case 'ul':
      case 'ol':
        this.#break();
        this.#lists.pop();
        if (this.#lists.length === 0) this.#part();
        return;
      case 'li':
        this.#break();
        this.#containers.pop();
        return;
      case 'blockquote':
        this.#break();
        if (this.#gap) this.#lines.pop();
        this.#gap = false;
        this.#containers.pop();
        this.#part();
        return;
      case 'code':
        this.#add('`');
        return;
      case 'a': {
        const target = this.#links.pop() ?? '';
        if (target !== '') this.#add(`](${target})`);
        return;
      }
      case 'tr':
        this.#endRow();
        return;
      default:
        if (BLOCKS.has(name)) this.#part();
    }
  }

  end(): string {
    if (this.#code !== null) this.#endCode();
    this.#break();
    return this.#lines
      .join('\n')
      .replace(/\n{3,}/gu, '\n\n')
      .trim();
  }

  #add(text: string): void {
    this.#line.push(text);
    this.#blank = text.endsWith(' ');
    this.#length += text.length;
  }

  get #inRow(): boolean {
    return this.#rows.at(-1)?.layout === false;
  }

  #leaveRow(): void {
    for (const row of this.#rows) row.layout = true;
    this.#break();
  }

  /** Ends the line, if it is not empty. In a table cell a blank replaces the line end. */
  #break(): void {
    if (this.#inRow) {
      if (!this.#blank) this.#add(' ');
    } else this.#endLine();
  }

  #endLine(): void {
    const line = this.#line.join('').trimEnd();
    this.#line = [];
    this.#blank = true;
    // A heading or a row without a word is dropped.
    if (/[^#|\s]/u.test(line)) this.#push(line);
  }

  /** Ends the line and adds an empty one. */
  #part(): void {
    this.#break();
    if (!this.#inRow && !this.#gap && this.#lists.length === 0) this.#push('');
  }

  #push(line: string): void {
    let before = '';
    for (const container of this.#containers.slice(0, MOST_CONTAINERS)) {
      before += line === '' ? container.rest : container.mark;
      if (line !== '') container.mark = container.rest;
    }
    this.#lines.push(`${before}${line}`.trimEnd());
    this.#gap = line === '';
    this.#length += before.length + 1;
  }

  #item(): void {
    this.#break();
    const list = this.#lists.at(-1);
    const mark = list?.number == null ? '- ' : `${list.number++}. `;
    this.#containers.push({ mark, rest: ' '.repeat(mark.length) });
  }

  #cell(head: boolean): void {
    const row = this.#rows.at(-1);
    if (!row || row.layout) {
      this.#part();
      return;
    }
    row.cells++;
    if (head) row.heads++;
    this.#add(this.#blank ? '| ' : ' | ');
  }

  #endRow(): void {
    const row = this.#rows.pop();
    if (!row || row.layout || row.cells === 0) {
      this.#break();
      return;
    }
    this.#add(this.#blank ? '|' : ' |');
    this.#endLine();
    if (row.heads < row.cells) return;
    this.#add(`|${' --- |'.repeat(Math.min(row.cells, 100))}`);
    this.#endLine();
  }

  #endCode(): void {
    const code = this.#code?.trimEnd().replace(/^\n/u, '') ?? '';
    this.#code = null;
    if (code === '') return;
    const fence = FENCES.find((one) => !code.includes(one)) ?? '';
    for (const line of [`${fence}${this.#language}`, ...code.split(/\r\n|\r|\n/u), fence]) this.#push(line);
    this.#part();
  }

  /** Empty unless it is a web address; also for a place on this page. */
  #targetOf(href: string | undefined): string {
    if (href === undefined || href.startsWith('#')) return '';
    const url = readUrl(href, this.#base.href);
    if (!url || !/^https?:$/u.test(url.protocol) || url.href.length > LONGEST_LINK) return '';
    return url.href;
  }
}

function languageOf(attributes: Attributes): string {
  return /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]{1,20})/u.exec(attributes.class ?? '')?.[1] ?? '';
}

function integer(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,6}$/u.test(text) ? Number(text) : null;
}

export type Attributes = Readonly<Record<string, string>>;
