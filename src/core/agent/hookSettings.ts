/** The person's own commands that run at certain events of a turn, as they write them. A workspace never defines one. */

import * as z from 'zod';
import { fitsPattern, section, setting } from '../setting.ts';
import type { ToolClass } from '../tools/approvals.ts';
import { words } from '../words.ts';

const HOOK_EVENTS = ['beforeTool', 'afterTool', 'beforeTurn', 'afterTurn'] as const;

const CLASSES: readonly ToolClass[] = ['read', 'write', 'run', 'network', 'mcp'];

const CLASS = 'class:';

/** A name, a pattern, or a class. An unknown class would never match, and its hook would never refuse. */
const matcher = z
  .string()
  .min(1)
  .max(200)
  .superRefine((text, context) => {
    if (!text.startsWith(CLASS) || CLASSES.some((each) => text === CLASS + each)) return;
    const reason = words('There is no class {0}. There are: {1}.', text.slice(CLASS.length), CLASSES.join(', '));
    context.addIssue({ code: 'custom', params: { reason } });
  });

export const hook = z.strictObject({
  on: z
    .enum(HOOK_EVENTS)
    .describe(
      '`beforeTool`: before a tool call, ahead of any question. `afterTool`: after a call that ran. `beforeTurn`: after your message. `afterTurn`: when the turn has ended.',
    ),
  tools: z
    .array(matcher)
    .max(100)
    .default([])
    .describe(
      `For which tools: names, patterns with \`*\`, or \`class:\` with one of ${CLASSES.join(', ')}. If not given: all.`,
    ),
  command: z
    .string()
    .min(1)
    .max(5_000)
    .describe('Command line for the shell, run in the workspace folder. It gets a JSON object on its input.'),
  timeout: z.number().min(1).max(600).default(60).describe('Seconds after which it is ended.'),
  onFailure: z
    .enum(['continue', 'refuse'])
    .optional()
    .describe(
      'What happens when it fails: the call or the turn continues, or is refused. If not given, it continues, unless the program was not found and nothing has checked the call.',
    ),
});

export type Hook = z.infer<typeof hook>;

/** True when the hook applies to this tool. */
export function isFor({ tools }: Hook, name: string, toolClass: ToolClass): boolean {
  return tools.length === 0 || tools.some((each) => each === CLASS + toolClass || fitsPattern(each, name));
}

export const HOOKS = section('', {
  hooks: setting(
    z.array(hook).max(50),
    [],
    'Commands of your own that run before or after tool calls and turns, in this order. The model gets their output; exit code 2 refuses the call or the turn, and no approval overrides that. They run without asking, in trusted folders only. A workspace cannot change this. The README describes their input and output.',
    { scope: 'application', ofThisMachine: true },
  ),
});
