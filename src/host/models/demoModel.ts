/** The scripted demo as a kind of model: one model, no key, no network. */

import * as vscode from 'vscode';
import { DEMO } from '../../core/ports.ts';
import { createDemoClient } from '../../providers/demo/demoClient.ts';
import type { AgentSettings } from '../settings/agentSettings.ts';
import { say } from '../tell/say.ts';
import type { ClientKind } from './clientKind.ts';

export function demoModel(settings: () => AgentSettings): ClientKind {
  const client = createDemoClient({ tell: say });
  return {
    scripted: true,
    retries: false,
    owns: (id) => id === DEMO,
    choices: () => [
      {
        id: DEMO,
        label: vscode.l10n.t('Scripted demo'),
        description: vscode.l10n.t('No key, no network: a script that drives the real tools'),
        group: vscode.l10n.t('Demo'),
      },
    ],
    canonical: (id) => id,
    resolve: () => ({ client, model: DEMO, window: settings()['demo.contextWindow'] }),
    load: async () => undefined,
  };
}
