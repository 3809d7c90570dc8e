/**
 * Converts a page's HTML to readable Markdown, in one pass and with bounded work: the page may be hostile. Parts that
 * the markup itself hides from readers are omitted; style sheets are not applied.
 */

import { setImmediate as giveWay } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { type Attributes, MarkdownWriter } from './markdownWriter.ts';

/** Deeper pages are meant to be slow: the parser searches all open elements at each end tag. */
const MOST_NESTING = 400;

/** Characters parsed at once. */
const PIECE = 64 * 1024;

/** Elements without text for a reader: programs, styles, other kinds of content, controls, and navigation. */
const LEFT_OUT = new Set(
  'script style noscript template svg math iframe frame object embed canvas audio video input select button textarea datalist dialog nav link meta map'.split(
    ' ',
  ),
);

export async function toMarkdown(
  html: string,
  url: URL,
  signal?: AbortSignal,
): Promise<{ readonly title: string; readonly text: string; readonly cut: boolean }> {
  const writer = new MarkdownWriter(url);
  /** For each open element: whether it starts an omitted part. */
  const open: boolean[] = [];
  let hidden = 0;
  let title = '';
  let inTitle = false;
  let cut = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      const leftOut = LEFT_OUT.has(name) || isHidden(attributes);
      open.push(leftOut);
      if (leftOut) hidden++;
      if (open.length > MOST_NESTING) cut = true;
      if (name === 'title') inTitle = open.length < 4 && title === '';
      else if (hidden === 0) writer.open(name, attributes);
    },
    ontext(text) {
      if (cut || hidden > 0) return;
      if (inTitle) title += text;
      else writer.text(text);
    },
    onclosetag(name) {
      if (open.pop()) hidden--;
      else if (name === 'title') inTitle = false;
      else if (hidden === 0) writer.close(name);
    },
  });
  for (let at = 0; at < html.length && !cut && !writer.full; at += PIECE) {
    signal?.throwIfAborted();
    parser.write(html.slice(at, at + PIECE));
    await giveWay();
  }
  const read = !cut && !writer.full;
  if (read) parser.end();
  return { title: title.replace(/\s+/gu, ' ').trim(), text: writer.end(), cut: !read };
}

const HIDING_STYLE =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0?\.?0*\s*(?:;|!|$)|(?:font-size|max-height|max-width)\s*:\s*0(?:px|em|rem|pt|%)?\s*(?:;|!|$))/iu;

function isHidden(attributes: Attributes): boolean {
  if (attributes.hidden !== undefined || attributes['aria-hidden']?.trim().toLowerCase() === 'true') return true;
  return attributes.style !== undefined && HIDING_STYLE.test(attributes.style);
}
