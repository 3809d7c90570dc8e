/** The endpoints as they are written in the user's settings, read and written as a whole. */

import * as vscode from 'vscode';
import { asText, listOf } from '../../../core/json.ts';
import { writeSetting } from '../../settings/settings.ts';
import type { StoredEndpoints } from './endpointEdits.ts';

export function readStored(): StoredEndpoints {
  const section = vscode.workspace.getConfiguration('palimpsest');
  const own = (key: string) => section.inspect(key)?.globalValue;
  return {
    endpoints: listOf(own('endpoints')),
    'endpoint.baseUrl': asText(own('endpoint.baseUrl')),
    'endpoint.models': listOf(own('endpoint.models')).filter((name) => typeof name === 'string'),
  };
}

/** The list goes first: no endpoint is missing at any time. */
export async function writeStored(stored: StoredEndpoints): Promise<void> {
  const before = readStored();
  for (const key of ['endpoints', 'endpoint.baseUrl', 'endpoint.models'] as const) {
    if (JSON.stringify(before[key]) === JSON.stringify(stored[key])) continue;
    await writeSetting(key, stored[key].length > 0 ? stored[key] : undefined);
  }
}
