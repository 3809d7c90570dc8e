/** The program `palimpsest-lab`. */

import { runCommand } from './command.ts';

process.exitCode = await runCommand(process.argv.slice(2), { folder: null });
