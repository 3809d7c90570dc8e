/** The settings of MCP servers. A workspace never names what is started, nor what may be taken over. */

import * as z from 'zod';
import { count, section, setting } from '../../../core/settings/setting.ts';
import { serversSchema } from './serverConfig.ts';

export const MCP = section('mcp', {
  servers: setting(
    serversSchema,
    {},
    'MCP servers whose tools the model gets, by name: programs with `command` and `args`, or addresses with `url`. Write secrets as `${secret:NAME}` in `env` and `headers`. *Palimpsest: MCP Servers…* shows their state. A workspace cannot change this.',
    { scope: 'application', eachAlone: true },
  ),
  filesOfFolder: setting(
    z.boolean(),
    true,
    'Also use servers that the folder sets up for other programs (`.mcp.json`, `.vscode/mcp.json`, `.cursor/mcp.json` and the like), after asking once for each server and its contents. Never in Restricted Mode.',
    { scope: 'application' },
  ),
  callTimeout: setting(
    count(1, 86_400),
    120,
    'Seconds that a call of an MCP server may take without a sign of progress before it is given up.',
    { scope: 'application' },
  ),
});
