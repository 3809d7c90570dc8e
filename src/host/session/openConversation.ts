/** Makes a conversation of a stored or a new session: gives the agent what this window has. */

import * as vscode from 'vscode';
import { Agent } from '../../core/agent/agent.ts';
import type { AgentFiles } from '../../core/agent/agentFile.ts';
import type { CompactionSignal } from '../../core/compaction/events.ts';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import type { CompactionSettings } from '../../core/compaction/settings.ts';
import type { McpServers } from '../../core/mcp/mcpServers.ts';
import type { MentionSources } from '../../core/mentions/mention.ts';
import type { Clock, Crypto, Log } from '../../core/ports.ts';
import type { LearnedWindows } from '../../core/tokens/learnedWindows.ts';
import { TOOLS } from '../../core/tools/toolList.ts';
import { words } from '../../core/words.ts';
import type { RetryNotice } from '../../providers/retry.ts';
import { systemTimers } from '../../providers/timers.ts';
import { readOwnMemory } from '../instructions/memoryCommands.ts';
import { readOwnSkills } from '../instructions/skillList.ts';
import type { OpenedMcp } from '../mcp/openMcp.ts';
import type { Models } from '../models/models.ts';
import type { AgentSettings } from '../settings/agentSettings.ts';
import type { AllowedCommands } from '../shell/allowedCommands.ts';
import type { BackgroundShell } from '../shell/backgroundShell.ts';
import type { JournalReport } from '../storage/journal/readJournal.ts';
import { openMailbox } from '../storage/sessions/mailbox.ts';
import { say, showWarning } from '../tell/notify.ts';
import { withCancel } from '../tell/withCancel.ts';
import { openWeb } from '../web/openWeb.ts';
import { readTrust, type Workspace } from '../workspace.ts';
import { Conversation, type ConversationHooks } from './conversation.ts';
import type { ConversationChange } from './conversationChange.ts';
import type { QueueFile } from './drafts.ts';
import type { ImageQuota } from './imageQuota.ts';
import { type AccessMode, free, type HeldSession, type SessionAccess } from './sessionAccess.ts';
import type { SessionPlaces } from './sessionPlaces.ts';

export interface ConversationSources {
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly log: Log;
  readonly models: Models;
  readonly registry: StrategyRegistry;
  readonly windows: LearnedWindows;
  readonly workspace: () => Workspace;
  readonly allowedCommands: AllowedCommands;
  readonly mcp: OpenedMcp;
  readonly agents: AgentFiles;
  readonly background: BackgroundShell;
  readonly mentions: MentionSources;
  readonly quota: ImageQuota;
  readonly agentSettings: () => AgentSettings;
  readonly compactionSettings: (instead?: string) => CompactionSettings;
  readonly onCompaction: (signal: CompactionSignal) => void;
}

/** Nothing is appended: what a session is configured with is journaled when it next runs. */
export function openConversation(
  session: HeldSession,
  sources: ConversationSources,
  onChange: (change: ConversationChange) => void,
  waiting?: QueueFile,
): Conversation {
  const { clock, crypto, log } = sources;
  return new Conversation({
    ...{ session, clock, crypto, log, onChange },
    ...(waiting ? { waiting } : {}),
    createAgent: (hooks) => openAgent(session, sources, hooks),
  });
}

function openAgent(
  { journal, blobs, subagents, folder }: HeldSession,
  sources: ConversationSources,
  hooks: ConversationHooks,
): Agent {
  const { clock, crypto, log, models, registry, windows, workspace, quota, agentSettings, mcp } = sources;
  const { approver, consent, questions, steering, onTurn, onProgress, onActivity, onWait } = hooks;
  const onRetry = (notice: RetryNotice) =>
    onWait(notice.waitMs, (seconds) => describeRetry(notice, seconds), notice.now);
  return new Agent({
    session: { journal, blobs },
    models: {
      initial: () => agentSettings().model,
      lists: (name) => models.lists(name),
      refresh: (name) => models.refresh(name),
      resolve: (name, purpose, beside) => models.resolve(name, purpose === 'turn' ? onRetry : null, beside),
    },
    workspace: {
      get files() {
        return workspace().files;
      },
      get shell() {
        return workspace().shell;
      },
      get language() {
        return workspace().language;
      },
      get git() {
        return readTrust() === 'trusted' ? workspace().git : undefined;
      },
      get hooks() {
        return workspace().hooks;
      },
      trust: readTrust,
      commandRules: sources.allowedCommands,
      background: sources.background,
      web: openWeb(),
      ownMemory: (leaveOut) => readOwnMemory(agentSettings().memory.userFile, leaveOut),
      ownSkills: (leaveOut) => readOwnSkills(undefined, leaveOut),
    },
    person: { approver, consent, questions, steering },
    settings: agentSettings,
    compaction: { settings: sources.compactionSettings, registry, windows },
    system: { clock, timers: systemTimers, crypto, log },
    events: { onTurn, onProgress, onCompaction: sources.onCompaction },
    secrets: () => [...models.endpoint.keys, ...mcp.secrets.known],
    tools: TOOLS,
    mcp: withActivity(mcp.servers, onActivity),
    mentions: sources.mentions,
    agents: sources.agents,
    mailbox: openMailbox(folder),
    ...(subagents ? { subagents } : {}),
    checkpoints: {
      files: () => workspace().checkpointFiles,
      blobs: quota.count(blobs),
      keeps: () => agentSettings().checkpoints.enabled,
      hold: (restore) => quota.hold(restore),
    },
  });
}

/** The same servers, whose start is told where the person looks. */
function withActivity(servers: McpServers, onActivity: (text: string) => void): McpServers {
  return {
    prepare: (signal) => servers.prepare(signal, (said) => onActivity(say(said))),
    decisionOn: (tool) => servers.decisionOn(tool),
    allowAlways: (tool) => servers.allowAlways(tool),
    call: (tool, input, call) => servers.call(tool, input, call),
  };
}

/** The wait comes first: in a narrow panel the line is cut at its end. */
function describeRetry({ attempt, attempts, reason }: RetryNotice, seconds: number): string {
  return say([...words('Trying again in {0} s ({1} of {2}).', seconds, attempt, attempts), ...reason]);
}

/** Opens a session of any folder in this window, and reports what could not be read of it. */
interface SessionDoors {
  readonly access: SessionAccess;
  readonly places: SessionPlaces;
  readonly log: Log;
}

/** With null, creates a session. A person may cancel what takes long; it then rejects with an abort. */
export async function openSession(id: string | null, mode: AccessMode, doors: SessionDoors): Promise<HeldSession> {
  const { access, places, log } = doors;
  if (id === null) return access.create();
  const session = await withCancel(words('Opening the session…'), async (signal) => {
    const foreign = await places.openForeign(id, signal);
    return foreign ? free(foreign) : access.open(id, mode, signal);
  });
  if (session.report) reportDamage(session.report, log);
  return session;
}

/** Briefly to the person, and in full in the log. */
function reportDamage(report: JournalReport, log: Log): void {
  const { path, damaged, gaps, tornBytes } = report;
  if (tornBytes) log('warn', `${path}: the last line was torn (${tornBytes} bytes) and was moved aside.`);
  if (!damaged.length && !gaps.length) return;
  for (const { line, reason } of damaged) log('warn', `${path}: line ${line} is left out (${reason}).`);
  for (const { from, to } of gaps) log('warn', `${path}: entries ${from} to ${to} are missing.`);
  const text = vscode.l10n.t(
    'Part of this session could not be read (damaged lines: {0}, gaps: {1}). Everything else is here; the file {2} was not changed. “Care of Sessions…” says more.',
    damaged.length,
    gaps.length,
    path,
  );
  void showWarning(text);
}
