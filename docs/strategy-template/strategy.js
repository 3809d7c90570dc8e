// @ts-check
const FAILING = /\b(FAIL|failing|AssertionError|not ok)\b/;

/** @type {import('palimpsest-api').StrategyFactory<'log' | 'settings'>} */
export const keepTests = {
  needs: ['log', 'settings'],
  create: ({ log, settings }) => ({
    compact: async ({ history, hide }) => {
      const longest = Number(settings().longest);
      const result = history.map((message) => {
        const old = message.role === 'tool' && message.text.length > longest && !FAILING.test(message.text);
        return old ? hide(message) : message;
      });
      const hidden = result.filter((message, i) => message !== history[i]).length;
      log('info', `${hidden} results hidden`);
      return hidden > 0 ? result : null;
    },
  }),
};
