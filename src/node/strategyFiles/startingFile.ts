/** The file that *New Strategy…* writes: a working strategy with notes for its author. */

export const STARTING_FILE = `// A compaction strategy for Palimpsest, in one file.
//
// It is loaded into the editor's extension host with all its rights, each time its contents changed and you allowed
// them. It stands alone: it can import Node's own modules ("node:…"), no file beside it. After an endless loop nothing
// but a restart of the extension host helps.
//
// "Palimpsest: Try on This Session" shows what it would do, again at each save. To use it, choose it in the strategy
// menu of the panel. What can be done here is told in docs/writing-a-strategy.md of the Palimpsest repository.

const FAILING = /\\b(FAIL|failing|AssertionError|not ok)\\b/;

export default {
  // The ports that \`create\` gets: 'llm' (the summary model), 'countTokens', 'log', 'settings'.
  needs: ['log', 'settings'],

  // Values for a person to set: fields in the preview and the lab, and "NAME-OF-THIS-FILE.longest": 4000 in the setting
  // palimpsest.compaction.fileSettings.
  settings: {
    longest: {
      type: 'integer',
      default: 4000,
      minimum: 100,
      description: 'Results with more characters than this are hidden.',
    },
  },

  // Called once a session.
  create: ({ log, settings }) => ({
    /**
     * Gets the conversation, and returns the new one, or null when there is nothing to do. Everything in it is frozen.
     *
     * - \`history\`: messages in order. Each has \`id\`, \`role\` ('user', 'assistant', 'tool'), \`text\`, \`tokens\`, \`block\`
     *   (a call and its results: they stay or go together), \`round\`, \`protected\` (must stay as it is), \`hidden\`.
     * - \`targetTokens\`: what the history should fit into. \`attempt\` is 2 when the first result was too large.
     * - \`hide(message)\`: the message behind a short stub that the model can look behind.
     * - \`instructions\`: what the person wants kept in mind; \`trigger\`: why it runs; \`signal\`: aborted on stop.
     *
     * Returned as it was, a message is kept; with another \`text\` it is replaced; left out it is dropped. A new summary
     * is { role: 'user', kind: 'summary', text }. Order stays, and Palimpsest checks everything before it changes anything.
     */
    async compact({ history, hide }) {
      const { longest } = settings();
      const result = history.map((message) => {
        const long = message.role === 'tool' && message.text.length > longest;
        return long && !FAILING.test(message.text) ? hide(message) : message;
      });
      const hidden = result.filter((message, i) => message !== history[i]).length;
      // A line in the output channel "Palimpsest".
      log('info', \`\${hidden} results hidden\`);
      return hidden > 0 ? result : null;
    },
  }),
};
`;
