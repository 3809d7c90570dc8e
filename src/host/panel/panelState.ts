/** Reads the panel's state other than rows: the session, the models, the settings. */

import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import { type CompactionSettings, forModel } from '../../core/compaction/settings/compactionSettings.ts';
import type { ExpectedResult } from '../../core/compaction/signals/consent.ts';
import type { Gauge } from '../../core/compaction/trigger/gauge.ts';
import { TriggerClauses } from '../../core/compaction/trigger/triggers.ts';
import { NO_SPENDING } from '../../core/cost/spending.ts';
import { readTodos } from '../../core/instructions/readTodos.ts';
import type { Skill } from '../../core/instructions/skill.ts';
import type { Journal } from '../../core/journal/journal.ts';
import type { ModelChoice, ModelProblem } from '../../core/model/modelChoice.ts';
import { splitIntoParts } from '../../core/tokens/meter.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { cut, LABEL } from '../../core/transcript/cut.ts';
import { words } from '../../core/words.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import { withImageNames } from '../../node/session/messageQueue.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { BackgroundShell } from '../../node/shell/backgroundShell.ts';
import type { ImageQuota } from '../../node/storage/sessions/imageQuota.ts';
import { COMMAND_WORDS } from '../../protocol/commands.ts';
import type { Meter, PanelState } from '../../protocol/messages.ts';
import type { ContributedStrategies } from '../api/contributedStrategies.ts';
import type { RoomOffer } from '../commands/roomAgain.ts';
import { type AgentCommands, BUILT_IN_AGENT } from '../instructions/agentCommands.ts';
import type { SkillList } from '../instructions/skillList.ts';
import type { OpenedMcp } from '../mcp/openMcp.ts';
import type { FollowedSelection } from '../mentions/followedSelection.ts';
import type { Models } from '../models/models.ts';
import { listModes, listStrategies } from '../notices/listStrategies.ts';
import { inEditorLanguage } from '../notices/notify.ts';
import { describeStrategyChoice, strategyInForce } from '../session/sessionStrategy.ts';
import type { WatchedSettings } from '../settings.ts';
import { readTrust } from '../workspace.ts';

export interface PanelStateParts {
  readonly agents: AgentCommands;
  readonly background: BackgroundShell;
  readonly contributed: ContributedStrategies;
  readonly mcp: OpenedMcp;
  readonly models: Models;
  readonly quota: ImageQuota;
  readonly registry: StrategyRegistry;
  readonly room: RoomOffer;
  readonly selection: FollowedSelection;
  readonly session: ShownSession;
  readonly settings: WatchedSettings;
  readonly skills: SkillList;
}

export function readPanelState(parts: PanelStateParts): PanelState {
  const { session, models, settings, registry, quota, agents, skills, mcp, background } = parts;
  const { conversation } = session;
  const { agent } = settings.current;
  const compaction = strategyInForce(parts);
  const model = models.canonical(conversation?.agent.modelName ?? agent.model);
  const resolved = models.resolve(model, null);
  const strategies = listStrategies(registry);
  const others = strategies.some(({ publisher, file }) => publisher !== null || file !== undefined);
  const trust = readTrust();
  const consent = conversation?.consent.pending ?? null;
  const labelOf = (strategy: string) => strategies.find(({ id }) => id === strategy)?.label ?? strategy;
  return {
    sessionId: conversation?.id ?? '',
    title: cut(session.title, LABEL),
    status: conversation?.status ?? 'idle',
    activity: conversation?.activity ?? '',
    meter: conversation
      ? readMeterOf(conversation.journal, conversation.compactor.gauge, compaction, resolved)
      : 'problem' in resolved
        ? emptyMeter(0, 'default', compaction)
        : emptyMeter(resolved.window, resolved.windowFrom ?? 'client', forModel(compaction, resolved.model)),
    costs: readCosts(conversation?.journal ?? null),
    agent: cut(agents.name, LABEL),
    agents: listAgents(agents.listed),
    strategy: cut(compaction.strategy, LABEL),
    strategyChoice: describeStrategyChoice(parts),
    strategies: strategies.map(({ id, label, description, publisher, file, more }) => ({
      id,
      label,
      description:
        publisher && file === undefined ? `${description} (${describePublisher(publisher, parts)})` : description,
      ...(others ? { group: groupOf(publisher, file) } : {}),
      ...(more && { more }),
    })),
    model: cut(model, LABEL),
    models: models.choices(),
    skills: listSkills(skills.current),
    prompts: mcp.content.prompts.map(({ server, name, description }) => ({ name: `${server}:${name}`, description })),
    endpoints: models.endpoint.list.length > 0,
    demo: models.kindOf(model).scripted,
    readOnly: inEditorLanguage(conversation?.journal.readOnly?.words ?? []),
    canTakeOver: conversation?.journal.readOnly?.kind === 'locked',
    canContinueHere: conversation?.journal.readOnly?.kind === 'elsewhere',
    others: session.others.map((other) => ({ ...other })),
    background: background.list(conversation?.id ?? '').flatMap(({ id, ended }) => (ended ? [] : [id])),
    checkpoints: { bytes: quota.bytes, limit: quota.limit },
    consent: consent && {
      id: consent.id,
      strategyLabel: labelOf(consent.strategy),
      insteadOf: consent.insteadOf === undefined ? '' : labelOf(consent.insteadOf),
      tokens: consent.tokens,
      window: consent.window,
      ownCount: consent.ownCount,
      byHand: consent.byHand ?? false,
      messages: consent.messages ?? null,
      summary: consent.summary ?? null,
      compact: toExpected(consent.outlook.compact),
      dropOldest: toExpected(consent.outlook.dropOldest),
    },
    retry: conversation?.retrying ?? 'none',
    queue: (conversation?.queue.list ?? []).map(({ id, text, now, kept, more }) => ({
      id,
      now,
      ...(kept && !now ? { kept } : {}),
      text: cut(withImageNames(text, more.attachments)),
    })),
    sending: conversation?.sending == null ? null : cut(conversation.sending),
    question: readQuestion(conversation?.questions.pending ?? null),
    mode: session.mode,
    modes: listModes(),
    todo: conversation
      ? readTodos(conversation.journal).map(({ text, state }) => ({ text: showInOneLine(text), state }))
      : [],
    selection: parts.selection.current,
    room: readRoom(parts.room.offer),
    images: 'problem' in resolved || resolved.images === false ? 'no' : resolved.images ? 'yes' : 'unknown',
    modelReady: !('problem' in resolved),
    folderOpen: trust !== 'noFolder',
    trusted: trust !== 'untrusted',
  };
}

/** Names its publisher, and whether they may see the conversation. */
function describePublisher(publisher: string, { contributed }: PanelStateParts): string {
  return contributed.isAllowed(publisher)
    ? vscode.l10n.t('by {0}, allowed', publisher)
    : vscode.l10n.t('by {0}, asks you before its first use', publisher);
}

function groupOf(publisher: string | null, file: string | undefined): string {
  if (file !== undefined) return vscode.l10n.t('Your own files');
  return publisher === null ? vscode.l10n.t('Built in') : vscode.l10n.t('From other extensions');
}

function readQuestion(pending: Conversation['questions']['pending']): PanelState['question'] {
  if (pending?.kind === 'permit') {
    const { always, ...permit } = pending;
    return {
      ...permit,
      text: inEditorLanguage(permit.text),
      yes: inEditorLanguage(permit.yes),
      ...(always ? { always: inEditorLanguage(always) } : {}),
    };
  }
  if (pending?.kind !== 'choice') return pending;
  const text = typeof pending.text === 'string' ? pending.text : inEditorLanguage(pending.text);
  return { ...pending, text, choices: pending.choices.map((choice) => ({ ...choice })) };
}

function readMeterOf(
  { context }: Journal,
  gauge: Gauge,
  settings: CompactionSettings,
  model: ModelChoice | ModelProblem,
): Meter {
  const { reading, window, mark, reserve } = gauge;
  const fixed = gauge.fixedPart(settings.trigger);
  const { tokens, reported, doubt } = reading;
  return {
    tokens,
    window,
    windowFrom: windowFrom(window, model),
    auto: settings.auto,
    trigger: mark?.at ?? null,
    counted: mark?.counted ?? null,
    messages: mark?.messages ?? null,
    reserve,
    rule: cut(mark?.rule ?? '', LABEL),
    parts: splitIntoParts(context, reading).map((part) => ({ ...part })),
    cacheHit: reported?.input && !doubt ? reported.cached / reported.input : null,
    cache: { ...gauge.clock },
    estimated: (reported === null || doubt !== undefined) && tokens > 0,
    fixed: fixed ? cut(inEditorLanguage(fixed)) : '',
  };
}

function readCosts(journal: Journal | null): PanelState['costs'] {
  const { known, unknown } = journal?.spending ?? NO_SPENDING;
  return { known: known.slice(0, MOST_CURRENCIES), unknown };
}

const readRoom = (offer: RoomOffer['offer']): PanelState['room'] =>
  offer && { ...offer, model: cut(offer.model, LABEL) };

/** Without agent files there is nothing to choose. */
function listAgents(listed: AgentCommands['listed']): PanelState['agents'] {
  if (listed.length === 0) return [];
  return [
    { id: BUILT_IN_AGENT, label: BUILT_IN_AGENT, description: inEditorLanguage(words('built in')) },
    ...listed.slice(0, MOST_AGENTS).map(({ name, description, id }) => ({
      id: name,
      label: name,
      description: cut(description || id, LABEL),
    })),
  ];
}

const MOST_AGENTS = 500;
const MOST_SKILLS = 1_000;

/** A prompt file with the name of a command has its long name; a skill with one is the model's only. */
function listSkills(skills: readonly Skill[]): PanelState['skills'] {
  const listed = skills
    .filter(({ forPerson, prompt, name }) => forPerson && (prompt || !COMMAND_WORDS.has(name.toLowerCase())))
    .slice(0, MOST_SKILLS);
  return listed.map(({ name, description, origin, prompt }) => ({
    name: prompt && COMMAND_WORDS.has(name.toLowerCase()) ? prompt.longName : name,
    description,
    ...(prompt ? { from: cut(showInOneLine(origin.replace(/\/[^/]*$/, '')), LABEL), hint: prompt.hint } : {}),
  }));
}

/** A foreign journal may contain any number. */
const MOST_CURRENCIES = 100;

/** The smaller number is used, so a differing one was learnt. */
function windowFrom(window: number, model: ModelChoice | ModelProblem): Meter['windowFrom'] {
  if ('problem' in model) return 'default';
  return window !== model.window ? 'learnt' : (model.windowFrom ?? 'client');
}

function emptyMeter(window: number, from: Meter['windowFrom'], settings: CompactionSettings): Meter {
  return {
    tokens: 0,
    window,
    windowFrom: from,
    auto: settings.auto,
    trigger: settings.auto ? new TriggerClauses(settings.trigger, window).limit : null,
    counted: null,
    messages: null,
    reserve: 0,
    rule: '',
    parts: [],
    cacheHit: null,
    cache: null,
    estimated: false,
    fixed: '',
  };
}

const toExpected = (given: ExpectedResult | null) => given && { tokens: given.tokens, fates: [...given.fates] };
