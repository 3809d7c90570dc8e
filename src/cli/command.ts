/** The commands of `palimpsest-lab`. What they find is printed or written to files. */

import { statSync } from 'node:fs';
import { messageOf } from '../core/errors.ts';
import { showHidden } from '../core/tools/text/showHidden.ts';
import { USAGE } from './arguments.ts';

/** Returns the exit code. `folder`: the sessions to read when none are named; null for a person's own. */
export async function runCommand(args: readonly string[], { folder }: { folder: string | null }): Promise<number> {
  const controller = new AbortController();
  const stop = () => controller.abort(new Error('Stopped.'));
  process.once('SIGINT', stop);
  try {
    const [first, ...rest] = args;
    if (first === 'tasks') await (await import('./tasks/runTasks.ts')).runTasks(rest, controller.signal);
    else if (args.includes('--help')) process.stdout.write(`${USAGE}\n`);
    else if (first === 'merge' && rest.some(isFolder)) (await import('./tasks/runTasks.ts')).mergeTasks(rest);
    else if (first === 'merge') await (await import('./runLab.ts')).mergeShards(rest);
    else if (first === 'autopsy') await (await import('./autopsy.ts')).printAutopsy(rest, controller.signal);
    else if (first === 'check') return (await (await import('./check.ts')).checkFile(rest)) ? 0 : 1;
    else await (await import('./runLab.ts')).runLab(args, folder, controller.signal);
    return 0;
  } catch (thrown) {
    process.stderr.write(`${showHidden(messageOf(thrown))}\n`);
    return 1;
  } finally {
    process.off('SIGINT', stop);
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
