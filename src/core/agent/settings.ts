/** The settings of an agent: the limits of its turns, its shell, and those of its parts. */

import * as z from 'zod';
import { MEMORY } from '../instructions/memoryFiles.ts';
import { SKILLS } from '../instructions/skill.ts';
import { MENTIONS } from '../mentions/mention.ts';
import { choice, completeValues, count, type SectionValues, section, setting } from '../setting.ts';
import { OUTPUT } from '../tools/toolSettings.ts';
import { HOOKS } from './hookSettings.ts';

/** Limits of a turn, and whether the model knows its checkpoints. */
export const AGENT = section('agent', {
  stepLimit: setting(count(1, 1_000), 50, 'How many requests a turn may make before it pauses.', { restricted: true }),
  costLimit: setting(
    z.number().min(0).max(1_000_000),
    0,
    'How much a turn with its subagents may cost before it pauses, in the currency of the model’s price. 0 means no limit. Only models with a known price count; a turn that uses another model says so.',
    { restricted: true },
  ),
  budgets: setting(
    z.partialRecord(z.enum(['session', 'subagent', 'subagentTokens']), z.number().min(0).max(1_000_000_000)),
    {},
    'Further limits, off by default. `session`: how much a session may cost, including its subagents, before you are asked whether it may continue. `subagent`: how much one subagent may cost, and `subagentTokens`: how many tokens its requests may read and write in total, before it ends. `#palimpsest.agent.costLimit#` limits a turn with its subagents.',
    { restricted: true },
  ),
  commandVariables: setting(
    z.array(z.string().min(1).max(200)).max(200),
    ['GITHUB_TOKEN', 'GH_TOKEN'],
    'Environment variables that commands get although their names look like secrets (`…_KEY`, `…_TOKEN`, `…_SECRET`, `…_PASSWORD`). All others like them are withheld. Enter whole names; case does not matter.',
    { scope: 'application', advanced: true },
  ),
  shell: choice(
    {
      process: [
        'Child processes',
        'Without a terminal. The output is shown in the card. On Windows by the first of Git Bash, PowerShell 7, Windows PowerShell and cmd that is found; elsewhere by bash.',
      ],
      sandbox: [
        'A sandbox',
        'On Linux, WSL 2 and macOS, child processes in a sandbox of the system. There a command needs no question: it writes only in the open folders and to no guarded name, reads nothing of your home but toolchains, and has no network. If the sandbox refuses something, you are asked, and so you are for a command in the background. Where there is no sandbox, you are asked as before, with the reason.',
      ],
      sandboxAll: [
        'A sandbox, for all',
        'The same, and hooks and MCP servers that run on this machine are put into it, too. There MCP servers can read the open folders, but not write in them.',
      ],
      terminal: [
        'A terminal',
        'In a terminal named Palimpsest that you can watch, with the environment of your shell. It needs bash or zsh and the shell integration of VS Code; without them, and on Windows, commands are child processes.',
      ],
      gitBash: ['Git Bash', 'On Windows, child processes of the bash of Git for Windows, where it is found.'],
      pwsh: ['PowerShell 7', 'On Windows, child processes of PowerShell 7, where it is found.'],
      powershell: ['Windows PowerShell', 'On Windows, child processes of the PowerShell that comes with it.'],
      cmd: ['cmd', 'On Windows, child processes of cmd, which takes commands of one line only.'],
    },
    'process',
    'Where commands run, and on Windows by which shell. The model knows which. Either way a separate shell runs exactly the command that you allowed, in the folder shown in the question, without input and without variables that look like secrets. *Palimpsest: Approvals…* lists your permanent permissions.',
    { scope: 'application' },
  ),
  tellCheckpoints: setting(
    z.boolean(),
    false,
    'Tell the model the number of the checkpoint before each message, in a reminder.',
    { advanced: true },
  ),
  dmail: setting(
    z.boolean(),
    false,
    'Offer the model a tool that sends a message to its own past: the conversation returns to a checkpoint, keeps your latest request, and continues from the message. Everything left behind is kept as a branch. A subagent may send its report to the past in the same way. Also sets a checkpoint before each request and tells the model its number.',
    { scope: 'application', advanced: true },
  ),
  dmailRestoresFiles: setting(
    z.boolean(),
    false,
    'A message from the model to its own past (`#palimpsest.agent.dmail#`) also restores the files that the agent changed after the checkpoint. Files that somebody else has changed since then are not touched.',
    { scope: 'application', advanced: true },
  ),
});

export interface AgentSettings extends SectionValues<typeof HOOKS> {
  readonly agent: SectionValues<typeof AGENT>;
  /** Limits of a result's size. */
  readonly output: SectionValues<typeof OUTPUT>;
  /** Memory files, at the beginning of every request. */
  readonly memory: SectionValues<typeof MEMORY>;
  readonly skills: SectionValues<typeof SKILLS>;
  readonly mentions: SectionValues<typeof MENTIONS>;
}

/** The sections of an agent's settings, by their names there. */
export const AGENT_SECTIONS = { agent: AGENT, output: OUTPUT, memory: MEMORY, skills: SKILLS, mentions: MENTIONS };

export const DEFAULT_AGENT_SETTINGS: AgentSettings = {
  ...completeValues(HOOKS.fields, {}),
  agent: completeValues(AGENT.fields, {}),
  output: completeValues(OUTPUT.fields, {}),
  memory: completeValues(MEMORY.fields, {}),
  skills: completeValues(SKILLS.fields, {}),
  mentions: completeValues(MENTIONS.fields, {}),
};
