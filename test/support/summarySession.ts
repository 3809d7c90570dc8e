/** A grown session whose strategy is the one that summarises everything, unless a test names another. */

import { grownSession } from './grownSession.ts';

export const summarySession: typeof grownSession = (options) =>
  grownSession({ ...options, settings: { strategy: 'llm-summary', ...options.settings } });
