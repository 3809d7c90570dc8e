/** Opens sessions in this window, each with an agent that uses the window's parts. */

import * as vscode from 'vscode';
import { Agent } from '../../core/agent/agent.ts';
import type { AgentFiles } from '../../core/agent/parts/agentFile.ts';
import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import type { CompactionSettings } from '../../core/compaction/settings/compactionSettings.ts';
import type { CompactionSignal } from '../../core/compaction/signals/compactionSignal.ts';
import { publicEventOf } from '../../core/compaction/signals/publicEvents.ts';
import { messageOf } from '../../core/errors.ts';
import { formatCount, formatPercent } from '../../core/figures.ts';
import type { Log } from '../../core/log.ts';
import type { McpServers } from '../../core/mcp/mcpServers.ts';
import type { LearnedWindows } from '../../core/tokens/learnedWindows.ts';
import { TOOLS } from '../../core/tools/toolList.ts';
import { words } from '../../core/words.ts';
import { readOwnMemory } from '../../node/instructions/ownMemory.ts';
import { knownSecrets } from '../../node/secrets/knownSecrets.ts';
import { sayingChecks } from '../../node/session/activity.ts';
import { Conversation, type ConversationChange, type ConversationHooks } from '../../node/session/conversation.ts';
import type { Drafts } from '../../node/session/drafts.ts';
import { openQueueFile } from '../../node/session/messageQueue.ts';
import { type AccessMode, free, type HeldSession, type SessionAccess } from '../../node/session/sessionAccess.ts';
import type { SessionPlaces } from '../../node/session/sessionPlaces.ts';
import type { AllowedCommands } from '../../node/shell/allowedCommands.ts';
import type { BackgroundShell } from '../../node/shell/backgroundShell.ts';
import { nodeCrypto } from '../../node/storage/disk/fileBlobStore.ts';
import type { JournalReport } from '../../node/storage/journal/readJournal.ts';
import type { ImageQuota } from '../../node/storage/sessions/imageQuota.ts';
import { openMailbox } from '../../node/storage/sessions/mailbox.ts';
import { openWeb } from '../../node/web/openWeb.ts';
import { COMMAND_WORDS } from '../../protocol/commands.ts';
import type { RetryNotice } from '../../providers/retry.ts';
import { systemTimers } from '../../providers/timers.ts';
import type { PublicApi } from '../api/publicApi.ts';
import type { AgentCommands } from '../instructions/agentCommands.ts';
import type { SkillList } from '../instructions/skillList.ts';
import type { OpenedMcp } from '../mcp/openMcp.ts';
import type { Mentions } from '../mentions/mentions.ts';
import { editorProxy } from '../models/endpoints/editorProxy.ts';
import type { Models } from '../models/models.ts';
import { inEditorLanguage, showWarning, withCancel } from '../notices/notify.ts';
import type { WatchedSettings } from '../settings.ts';
import { readTrust, type WatchedWorkspace } from '../workspace.ts';

interface Parts {
  readonly access: SessionAccess;
  readonly agentFiles: AgentFiles;
  readonly agents: AgentCommands;
  readonly allowedCommands: AllowedCommands;
  readonly api: PublicApi;
  readonly background: BackgroundShell;
  readonly drafts: Drafts;
  readonly log: Log;
  readonly mcp: OpenedMcp;
  readonly mentions: Mentions;
  readonly models: Models;
  readonly places: SessionPlaces;
  readonly quota: ImageQuota;
  readonly registry: StrategyRegistry;
  readonly settings: WatchedSettings;
  readonly skills: SkillList;
  /** Windows of models, learnt from refusals. */
  readonly windows: LearnedWindows;
  readonly workspace: WatchedWorkspace;
}

const CLOCK = { now: () => Date.now() };

/**
 * A stored session, or a new one with null. Appends nothing: a session's configuration is journaled when it next
 * runs. A person may cancel a slow opening, which then rejects with an abort.
 */
export async function openConversation(
  parts: Parts,
  id: string | null,
  mode: AccessMode,
  onChange: (change: ConversationChange) => void,
): Promise<Conversation> {
  const { quota, drafts, agents, log } = parts;
  const session = await openSession(parts, id, mode);
  quota.start();
  await drafts.load(session.id);
  const onFault = (thrown: unknown) => log('warn', `What waits could not be kept: ${messageOf(thrown)}`);
  const waiting = session.writer === null ? undefined : await openQueueFile(session.folder, onFault);
  const conversation = new Conversation({
    session,
    clock: CLOCK,
    crypto: nodeCrypto,
    log,
    timers: systemTimers,
    pauses: parts.models.pauses,
    onChange,
    ...(waiting ? { waiting } : {}),
    createAgent: (hooks) => createAgent(parts, session, hooks),
  });
  if (id === null) await agents.begin(conversation);
  return conversation;
}

/** A session of any folder. */
async function openSession({ access, places, log }: Parts, id: string | null, mode: AccessMode): Promise<HeldSession> {
  if (id === null) return access.create();
  const open = async (signal: AbortSignal) => {
    const foreign = await places.openForeign(id, signal);
    return foreign ? free(foreign) : access.open(id, mode, signal);
  };
  // Once it is open it has a lock.
  const session = await withCancel(words('Opening the session…'), open, { keeps: true });
  if (session.report) reportDamage(session.report, log);
  return session;
}

function createAgent(
  parts: Parts,
  { id, journal, blobs, subagents, folder }: HeldSession,
  hooks: ConversationHooks,
): Agent {
  const { models, registry, windows, workspace, quota, settings, mcp, api, log } = parts;
  const { approver, consent, questions, steering, onTurn, onProgress, onActivity, onWait } = hooks;
  const agentSettings = () => settings.current.agent;
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
        return workspace.current.files;
      },
      get shell() {
        return workspace.current.shell;
      },
      get language() {
        return sayingChecks(workspace.current.language, onActivity, vscode.l10n.t('Checking problems…'));
      },
      get git() {
        return readTrust() === 'trusted' ? workspace.current.git : undefined;
      },
      get hooks() {
        return workspace.current.hooks;
      },
      get commandDisk() {
        return workspace.current.commandDisk;
      },
      trust: readTrust,
      commandRules: parts.allowedCommands,
      background: parts.background.of(id),
      web: openWeb({ proxy: editorProxy }),
      ownMemory: (reportSkipped) => readOwnMemory(agentSettings().memory.userFile, reportSkipped),
      ownSkills: (reportSkipped) => parts.skills.readOwn(reportSkipped),
      commands: COMMAND_WORDS,
    },
    person: { approver, consent, questions, steering },
    settings: agentSettings,
    compaction: { settings: (instead) => compactionSettings(parts, instead), registry, windows },
    system: { clock: CLOCK, timers: systemTimers, crypto: nodeCrypto, log },
    events: {
      onTurn,
      onProgress,
      onCompaction: (signal) => announceCompaction(signal, api, log),
    },
    secrets: () => knownSecrets(parts),
    tools: TOOLS,
    mcp: forSession(id, mcp.tools, onActivity),
    mentions: parts.mentions.sourcesFor(id),
    agents: parts.agentFiles,
    mailbox: openMailbox(folder),
    ...(subagents ? { subagents } : {}),
    checkpoints: {
      files: () => workspace.current.checkpointFiles,
      blobs: quota.count(blobs),
      keeps: () => agentSettings().checkpoints.enabled,
      hold: (restore) => quota.hold(restore),
    },
  });
}

function compactionSettings({ settings }: Parts, instead: string | undefined): CompactionSettings {
  return instead ? settings.compactionFor(instead) : settings.current.compaction;
}

/** The same servers as one session uses them; their start is shown as its activity in the panel. */
function forSession(session: string, servers: McpServers, onActivity: (text: string) => void): McpServers {
  return {
    prepare: (signal) => servers.prepare(signal, (message) => onActivity(inEditorLanguage(message))),
    decisionOn: (tool) => servers.decisionOn(tool),
    allowAlways: (tool) => servers.allowAlways(tool),
    call: (tool, input, call) => servers.call(tool, input, { ...call, session }),
  };
}

/** The wait comes first: in a narrow panel the end of the line is cut. */
function describeRetry({ attempt, attempts, reason }: RetryNotice, seconds: number): string {
  return inEditorLanguage([...words('Trying again in {0} s ({1} of {2}).', seconds, attempt, attempts), ...reason]);
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
    formatCount(damaged.length),
    formatCount(gaps.length),
    path,
  );
  void showWarning(text);
}

/**
 * Numbers for other extensions, and a line for the log; neither contains text of the session. Phases are logged at the level
 * Debug.
 */
export function announceCompaction(signal: CompactionSignal, api: PublicApi, log: Log): void {
  log(signal.type === 'phase' ? 'debug' : 'info', describeSignal(signal));
  const failed = (of: string) => (thrown: unknown) => log('warn', `a listener of ${of} failed: ${messageOf(thrown)}`);
  const published = publicEventOf(signal);
  switch (published?.of) {
    case 'start':
      api.started.fire(published.event, failed('onWillCompact'));
      break;
    case 'phase':
      api.progressed.fire(published.event, failed('onDidProgress'));
      break;
    case 'end':
      api.compacted.fire(published.event, failed('onDidCompact'));
      break;
  }
}

function describeSignal(signal: CompactionSignal): string {
  switch (signal.type) {
    case 'preCompact':
      return `preCompact ${signal.strategy} (${signal.trigger}): ${signal.tokens} tokens`;
    case 'phase':
      return `phase=${signal.phase}, tokens_before=${signal.tokensBefore}, tokens_after=${signal.tokensAfter}`;
    case 'compactionPerformed':
      return `compactionPerformed ${signal.strategy} (${signal.trigger}): ${signal.tokensBefore} → ${signal.tokensAfter} tokens in ${signal.durationMs} ms`;
    case 'conversationReplaced':
      return `conversationReplaced with ${signal.items} items`;
    case 'contextCompacted':
      return `contextCompacted: ${signal.roundsCompacted} rounds, ${formatPercent(100 * signal.savedRatio)} saved`;
    case 'compactionFailed':
      return `compactionFailed ${signal.strategy} (${signal.trigger}): ${signal.reason}`;
    case 'compactionUnchanged':
      return `compactionUnchanged ${signal.strategy} (${signal.trigger}): ${signal.code}`;
    case 'compactionUndone':
      return `compactionUndone ${signal.strategy}: ${signal.tokensBefore} → ${signal.tokensAfter} tokens`;
  }
}
