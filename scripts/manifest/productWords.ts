/** Texts of the manifest that describe the product itself. They are named in `package.json` by hand. */

export const PRODUCT_WORDS: Readonly<Record<string, string>> = {
  displayName: 'Palimpsest',
  description: 'A coding agent in the side panel whose context you can see, choose, extend and undo.',
  'capabilities.untrustedWorkspaces':
    'In Restricted Mode the agent only reads: it neither edits files nor runs commands.',
  'viewsContainers.palimpsest': 'Palimpsest',
  'views.panel': 'Palimpsest',
};
