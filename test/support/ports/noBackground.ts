/** `BackgroundCommands` in which nothing runs. */

import { ToolError } from '../../../src/core/errors.ts';
import type { BackgroundCommands } from '../../../src/core/tools/tool.ts';

export const NO_BACKGROUND: BackgroundCommands = {
  list: () => [],
  start: async () => {
    throw new ToolError('Nothing runs in the background here.');
  },
  read: async () => null,
  stop: async () => null,
};
