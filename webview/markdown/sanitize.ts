/** The HTML of answers as nodes, with nothing in it but text and its marks. */

import DOMPurify from 'dompurify';

/**
 * The only conversion from HTML text to nodes. It allows the tags that Markdown produces and nothing that loads, runs,
 * navigates or sets a style. Links carry their target as data: a click goes to the extension, which asks before opening
 * the link.
 */
const TAGS =
  'a blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre span strong sup table tbody td th thead tr ul'.split(
    ' ',
  );

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
