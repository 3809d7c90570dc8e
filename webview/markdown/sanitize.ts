/**
 * The one way from HTML text to nodes. Allowed are the tags Markdown makes and nothing that loads, runs, navigates or
 * names a style. Links carry their target as data: a click is told to the extension, which asks before it opens it.
 */

import DOMPurify from 'dompurify';

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
