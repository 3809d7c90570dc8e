/** Makes a conversation of a stored or a new session: wires journal, compactor, tools and model together. */

import { createDMailTool, DMailBox } from '../../core/agent/dmail.ts';
import { Compactor } from '../../core/compaction/compactor.ts';
import type { CompactionSignal } from '../../core/compaction/events.ts';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import type { CompactionSettings } from '../../core/compaction/settings.ts';
import type { Clock, Crypto, Log, ModelChoice } from '../../core/ports.ts';
import { countTokens, estimateMessage } from '../../core/tokens/estimate.ts';
import type { LearnedWindows } from '../../core/tokens/learnedWindows.ts';
import { createCompactContext } from '../../core/tools/builtIn/compactContext.ts';
import { createRecall } from '../../core/tools/builtIn/recall.ts';
import type { TruncationLimits } from '../../core/tools/text/cutText.ts';
import type { Tool } from '../../core/tools/tool.ts';
import { selectTools, TOOLS } from '../../core/tools/toolSet.ts';
import { words } from '../../core/words.ts';
import { systemTimers } from '../../providers/timers.ts';
import type { ModelProblem, Models } from '../models/models.ts';
import type { AgentSettings } from '../settings/agentSettings.ts';
import { say } from '../tell/say.ts';
import { readTrust, type Workspace } from '../workspace.ts';
import { Conversation, type ConversationChange } from './conversation.ts';
import { openFileHistory } from './fileHistory.ts';
import type { ImageQuota } from './imageQuota.ts';
import type { HeldSession } from './sessionAccess.ts';

export interface ConversationSources {
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly log: Log;
  readonly models: Models;
  readonly registry: StrategyRegistry;
  readonly windows: LearnedWindows;
  readonly workspace: () => Workspace;
  readonly quota: ImageQuota;
  readonly agentSettings: () => AgentSettings;
  readonly compactionSettings: () => CompactionSettings;
  readonly onCompaction: (signal: CompactionSignal) => void;
  readonly onNewSession: (message: string) => void;
  readonly onUnsent: (message: string) => void;
}

/** Nothing is appended: what a session is configured with is journaled when it next runs. */
export function openConversation(
  session: HeldSession,
  sources: ConversationSources,
  onChange: (change: ConversationChange) => void,
): Conversation {
  const { id, journal, blobs } = session;
  const { clock, crypto, log, models, registry, agentSettings, compactionSettings } = sources;
  const history = openFileHistory(session, sources);
  const dmail = new DMailBox({
    journal,
    limit: () => agentSettings()['agent.dmailLimit'],
    restore: () => (agentSettings()['agent.dmailRestoresFiles'] ? history.restoreUnasked : null),
  });
  const dmailTool = createDMailTool(dmail);
  const compactContext = createCompactContext((keep) => conversation.compactor.schedule(keep));
  const recall = createRecall({
    context: () => journal.context,
    blobs,
    tokensPerTurn: () => compactionSettings().recallTokensPerTurn,
  });
  const resolve = (name: string) =>
    models.resolve(name, ({ attempt, attempts, waitMs, reason }) =>
      conversation.showActivity(
        // The wait comes first: in a narrow panel the line is cut at its end.
        say([...words('Trying again in {0} s ({1} of {2}).', Math.ceil(waitMs / 1000), attempt, attempts), ...reason]),
      ),
    );
  const modelName = () => modelOf(journal.context.configured?.model, agentSettings());
  const model = () => resolve(modelName());
  const conversation: Conversation = new Conversation({
    id,
    journal,
    model,
    createCompactor: ({ consent, onProgress }) =>
      new Compactor({
        journal,
        model: () => usable(model()),
        // The summariser retries by itself. B11: a cheaper model at the same endpoint, the session's own when none is set.
        summaryModel: () => usable(models.resolve(compactionSettings().summary.model || modelName(), null)),
        settings: compactionSettings,
        registry,
        timers: systemTimers,
        clock,
        crypto,
        log,
        consent,
        blobs,
        windows: sources.windows,
        onProgress,
        onEvent: sources.onCompaction,
      }),
    describeModel: (name) => {
      const choice = usable(resolve(name));
      const { strategy, section } = compactionSettings();
      return { endpoint: choice?.client.endpoint ?? '', window: choice?.window ?? 0, strategy, parameters: section };
    },
    tools: () => [
      ...selectTools(TOOLS, readTrust()),
      ...(compactionSettings().recallTokensPerTurn > 0 ? [recall.tool as Tool] : []),
      ...(compactionSettings().agentTool ? [compactContext as Tool] : []),
      ...(agentSettings()['agent.dmail'] ? [dmailTool as Tool] : []),
    ],
    toolPorts: {
      get files() {
        return sources.workspace().files;
      },
      get shell() {
        return sources.workspace().shell;
      },
      blobs,
      clock,
    },
    trust: readTrust,
    crypto,
    log,
    say,
    turnSettings: () => ({
      stepLimit: agentSettings()['agent.stepLimit'],
      autoContinue: compactionSettings().autoContinue,
      tellCheckpoints: agentSettings()['agent.tellCheckpoints'] || agentSettings()['agent.dmail'],
      checkpointSteps: agentSettings()['agent.dmail'],
    }),
    results: () => ({ limits: outputLimits(agentSettings()), offload: compactionSettings().offload }),
    history,
    dmail,
    recall,
    writer: session.writer,
    release: () => session.release(),
    estimate: (message) => estimateMessage(message),
    estimateText: countTokens,
    onChange,
    onNewSession: sources.onNewSession,
    onUnsent: sources.onUnsent,
  });
  return conversation;
}

/** The session's own model; else the one set for new sessions. */
export function modelOf(configured: string | undefined, settings: AgentSettings): string {
  return configured ?? settings.model;
}

/** N1 as it is set; `tool` leaves the end that stays to each tool. */
function outputLimits(settings: AgentSettings): Partial<TruncationLimits> {
  const direction = settings['agent.output.direction'];
  return {
    maxLines: settings['agent.output.maxLines'],
    maxBytes: settings['agent.output.maxKilobytes'] * 1024,
    ...(direction === 'tool' ? {} : { direction }),
  };
}

function usable(model: ModelChoice | ModelProblem): ModelChoice | null {
  return 'problem' in model ? null : model;
}
