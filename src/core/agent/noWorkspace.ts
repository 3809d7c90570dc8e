/** A workspace for an agent without files and shell: every use is refused. */

import type { AgentWorkspace } from './agentPorts.ts';

const refuse = () => Promise.reject(new Error('There is no workspace here.'));

export const NO_WORKSPACE: Pick<AgentWorkspace, 'files' | 'shell'> = {
  files: {
    root: null,
    shownOf: async () => null,
    resolve: refuse,
    read: refuse,
    write: refuse,
    remove: refuse,
    move: refuse,
    list: refuse,
    search: refuse,
    find: refuse,
  },
  shell: { run: refuse },
};
