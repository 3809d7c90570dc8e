/**
 * The parts of this window, each with one name used everywhere. A part declares the siblings it uses: `Pick<Parts,
 * 'session' | 'pages'>`.
 */

import type * as vscode from 'vscode';
import type { AgentFiles } from '../core/agent/agentFile.ts';
import type { StrategyRegistry } from '../core/compaction/run/registry.ts';
import type { Log } from '../core/log.ts';
import type { LearnedWindows } from '../core/tokens/learnedWindows.ts';
import type { Drafts } from '../node/session/drafts.ts';
import type { SessionAccess } from '../node/session/sessionAccess.ts';
import type { SessionPlaces } from '../node/session/sessionPlaces.ts';
import type { ShownSession } from '../node/session/shownSession.ts';
import type { AllowedCommands } from '../node/shell/allowedCommands.ts';
import type { BackgroundShell } from '../node/shell/backgroundShell.ts';
import type { SessionStore } from '../node/storage/sessions/sessionStore.ts';
import type { ContributedStrategies } from './api/contributedStrategies.ts';
import type { PublicApi } from './api/publicApi.ts';
import type { SessionCommands } from './commands/sessionCommands.ts';
import type { ProposedEdits } from './inspect/proposedEdits.ts';
import type { ReadOnlyDocuments } from './inspect/readOnlyDocuments.ts';
import type { AgentCommands } from './instructions/agentCommands.ts';
import type { SkillList } from './instructions/skillList.ts';
import type { OpenedMcp } from './mcp/openMcp.ts';
import type { FollowedSelection } from './mentions/followedSelection.ts';
import type { Mentions } from './mentions/mentions.ts';
import type { Models } from './models/models.ts';
import type { Pages } from './pages/pages.ts';
import type { PanelChanges } from './panel/panelChanges.ts';
import type { ImageQuota } from './session/imageQuota.ts';
import type { SessionHome } from './session/sessionHome.ts';
import type { WatchedSettings } from './settings.ts';
import type { StrategyFiles } from './strategyFiles/strategyFiles.ts';
import type { WatchedWorkspace } from './workspace.ts';

export interface Parts {
  readonly access: SessionAccess;
  readonly agentFiles: AgentFiles;
  readonly agents: AgentCommands;
  readonly allowedCommands: AllowedCommands;
  readonly api: PublicApi;
  readonly background: BackgroundShell;
  readonly changes: PanelChanges;
  readonly contributed: ContributedStrategies;
  readonly documents: ReadOnlyDocuments;
  readonly drafts: Drafts;
  readonly edits: ProposedEdits;
  readonly extensionUri: vscode.Uri;
  readonly home: SessionHome;
  readonly log: Log;
  readonly mcp: OpenedMcp;
  readonly mentions: Mentions;
  readonly models: Models;
  readonly pages: Pages;
  readonly places: SessionPlaces;
  readonly quota: ImageQuota;
  readonly registry: StrategyRegistry;
  readonly selection: FollowedSelection;
  readonly session: ShownSession;
  readonly sessions: SessionCommands;
  readonly settings: WatchedSettings;
  readonly skills: SkillList;
  /** This workspace's sessions. */
  readonly store: SessionStore;
  readonly strategyFiles: StrategyFiles;
  /** Windows of models, learnt from refusals. */
  readonly windows: LearnedWindows;
  readonly workspace: WatchedWorkspace;
}

/** Keys known in this window: none of them leaves it. */
export function knownSecrets({ models, mcp }: Pick<Parts, 'models' | 'mcp'>): readonly string[] {
  return [...models.endpoint.keys, ...mcp.secrets.known];
}
