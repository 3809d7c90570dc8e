/** A web page as text, for a server that answers with one. Pure; each character is looked at once, whatever is unclosed. */

/** The text between the tags; of the head and of scripts only a title. */
export function stripHtml(html: string): string {
  const parts: string[] = [];
  const unclosed = new Set<string>();
  let at = 0;
  for (let tag = nextTag(html, at); tag; tag = nextTag(html, at)) {
    parts.push(html.slice(at, tag.start));
    at = tag.end;
    if (!UNREAD.has(tag.name) || unclosed.has(tag.name)) continue;
    const end = endOf(html, tag.name, tag.end);
    if (end === null) {
      unclosed.add(tag.name);
    } else {
      if (tag.name === 'head') parts.push(titleIn(html.slice(tag.end, end)));
      at = end;
    }
  }
  parts.push(html.slice(at));
  return parts
    .join(' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

const UNREAD: ReadonlySet<string> = new Set(['script', 'style', 'head']);

interface Tag {
  /** In lower case; a closing tag's begins with a slash. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Null when no whole tag follows. */
function nextTag(html: string, from: number): Tag | null {
  const start = html.indexOf('<', from);
  const close = start === -1 ? -1 : html.indexOf('>', start);
  if (close === -1) return null;
  const name = /^<(\/?[a-z0-9]*)/i.exec(html.slice(start, start + 20))?.[1] ?? '';
  return { name: name.toLowerCase(), start, end: close + 1 };
}

/** After the closing tag; null when there is none. */
function endOf(html: string, name: string, from: number): number | null {
  const closing = new RegExp(`</${name}>`, 'gi');
  closing.lastIndex = from;
  return closing.test(html) ? closing.lastIndex : null;
}

function titleIn(head: string): string {
  const start = head.search(/<title[\s>]/i);
  const open = start === -1 ? -1 : head.indexOf('>', start);
  if (open === -1) return '';
  const end = head.indexOf('<', open);
  return head.slice(open + 1, end === -1 ? head.length : end);
}
