/**
 * Routes the panel's requests to the commands and to the session on screen, and tells the panel what changed. It knows
 * nothing of webviews.
 */

import { isAbort, ToldError } from '../../core/errors.ts';
import type { GivenImage } from '../../core/images/attachImages.ts';
import { readImage } from '../../core/images/readImage.ts';
import type { RowPage } from '../../core/transcript/transcript.ts';
import { words } from '../../core/words.ts';
import { PANEL_COMMANDS, type PanelCommand } from '../../protocol/commands.ts';
import type { ImageToSend, Kept } from '../../protocol/kept.ts';
import type { CommandRequest, PanelState, ToHost } from '../../protocol/messages.ts';
import type { Row } from '../../protocol/rows.ts';
import type { BackgroundCommandList } from '../commands/backgroundCommandList.ts';
import type { CodeBlocks } from '../commands/codeBlocks.ts';
import type { Handlers } from '../commands/commands.ts';
import { readDropped } from '../commands/imageFiles.ts';
import type { SessionCommands } from '../commands/sessionCommands.ts';
import type { ContextPage } from '../inspect/contextPage.ts';
import { openQuestion, openRow, subagentOf, textBefore } from '../inspect/openRow.ts';
import type { ProposedEdits } from '../inspect/proposedEdits.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import type { AgentCommands } from '../instructions/agentCommands.ts';
import type { SkillList } from '../instructions/skillList.ts';
import type { ServerContent } from '../mcp/serverContent.ts';
import type { MentionChoices } from '../mentions/mentionChoices.ts';
import type { MentionCommands } from '../mentions/mentionCommands.ts';
import type { Drafts, Place } from '../session/drafts.ts';
import type { SessionPlaces, SessionScope } from '../session/sessionPlaces.ts';
import type { Disposable, ShownSession } from '../session/shownSession.ts';
import type { BackgroundShell } from '../shell/backgroundShell.ts';
import { withCancel } from '../tell/withCancel.ts';
import { findInRows } from './findInRows.ts';
import { copyText, insertAtCursor, newFile, openFile, openLink } from './openFile.ts';
import type { PanelChange } from './panelFrames.ts';

/** The view itself answers the others. */
export type PanelRequest = Exclude<ToHost, { type: 'ready' | 'gone' | 'loadRows' | 'keep' | 'focused' }>;

export interface PanelRouterParts {
  readonly session: ShownSession;
  readonly drafts: Drafts;
  readonly handlers: Handlers;
  readonly sessions: SessionCommands;
  readonly places: SessionPlaces;
  readonly documents: ReadOnlyDocuments;
  readonly edits: Pick<ProposedEdits, 'open'>;
  readonly codeBlocks: Pick<CodeBlocks, 'apply'>;
  readonly contextPage: Pick<ContextPage, 'previewAsked'>;
  readonly skills: Pick<SkillList, 'refresh'>;
  readonly mcpContent: Pick<ServerContent, 'list' | 'resources'>;
  readonly mentions: Pick<MentionCommands, 'doubts' | 'complete' | 'open'>;
  readonly mentionChoices: Pick<MentionChoices, 'complete'>;
  readonly agents: Pick<AgentCommands, 'refresh'>;
  readonly background: BackgroundShell;
  readonly backgroundCommands: BackgroundCommandList;
  readonly state: () => PanelState;
}

export class PanelRouter {
  readonly #parts: PanelRouterParts;
  readonly #listeners = new Set<(change: PanelChange) => void>();
  /** Text that was added before there was a panel to write it into. */
  readonly #waiting: PanelChange[] = [];
  /** What the panel seeks in the conversation. */
  #finding = '';
  /** Settles with the newest choice of a model, strategy or agent, so that a message sent right after it waits for it. */
  #chosen: Promise<unknown> = Promise.resolve();
  /** What was asked for last after `@`. */
  #completing: string | null = null;
  #listed: { readonly query: string; readonly scope: SessionScope } = { query: '', scope: 'workspace' };

  constructor(parts: PanelRouterParts) {
    this.#parts = parts;
    parts.session.onDidChange((change) => this.tell(change));
  }

  state(): PanelState {
    return this.#parts.state();
  }

  rows(beforeId: string | null, count: number): RowPage {
    return this.#parts.session.rows(beforeId, count);
  }

  row(id: string): Row | null {
    return this.#parts.session.row(id);
  }

  /** What the page at that place kept of the session on screen. Where it is only read, nothing is written in it. */
  kept(place: Place): Kept | null {
    const { conversation } = this.#parts.session;
    const kept = this.#parts.drafts.get(conversation?.id ?? '', place);
    return kept && conversation?.journal.readOnly ? { ...kept, draft: '', images: [], editing: null } : kept;
  }

  keep(request: Extract<ToHost, { type: 'keep' }>, place: Place): Promise<void> {
    const { session, drafts } = this.#parts;
    const { conversation } = session;
    const mine = request.sessionId === conversation?.id && !conversation.journal.readOnly;
    return drafts.keep(request, place, mine || request.sessionId === '');
  }

  onDidChange(listener: (change: PanelChange) => void): Disposable {
    this.#listeners.add(listener);
    for (const change of this.#waiting.splice(0)) listener(change);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** The settings, models or trust changed. */
  refresh(): void {
    this.tell({ kind: 'state' });
  }

  tell(change: PanelChange): void {
    if (this.#listeners.size === 0 && change.kind === 'insertText') this.#waiting.push(change);
    for (const listener of this.#listeners) listener(change);
  }

  /** Rejects with a text for the person. */
  async handle(request: PanelRequest): Promise<void> {
    if (isCommand(request)) return this.#run(request);
    const { session, sessions } = this.#parts;
    switch (request.type) {
      case 'send':
        await this.#chosen;
        return this.#send(request);
      case 'checkMentions':
        return this.tell({
          ...{ kind: 'mentionsChecked', text: request.text },
          doubts: await this.#parts.mentions.doubts(request.text),
        });
      case 'completeMention':
        return this.#completeMention(request.typed);
      case 'openMention':
        return this.#parts.mentions.open(request.rowId, request.mention);
      case 'queued':
        return this.#queued(request);
      case 'loadImage':
        return this.#loadImage(request.blob);
      case 'attachFiles':
        this.tell({ kind: 'attach', images: await readDropped(request.uris) });
        return;
      case 'answer':
        return this.#answer(request);
      case 'consent':
        return session.conversation?.consent.answer(request.consentId, request.answer);
      case 'previewConsent':
        return this.#parts.contextPage.previewAsked(request.consentId);
      case 'answerQuestion':
        return this.#answerQuestion(request);
      case 'pin':
        return session.mark(request.itemId, request.pinned ? 'pinned' : 'unpinned');
      case 'expand':
        return session.mark(request.itemId, request.expanded ? 'expanded' : 'collapsed');
      case 'openSession':
        await session.show(request.sessionId);
        return this.#reveal(request.hit);
      case 'listSessions':
        this.#listed = request;
        return this.#list();
      case 'listNames':
        // Servers that must be started first are not waited for: the state comes again when they have answered.
        void this.#parts.mcpContent.list();
        await this.#parts.skills.refresh();
        await this.#parts.agents.refresh();
        return;
      case 'favourite':
        await sessions.setFavourite(request.sessionId, request.favourite);
        return this.#list();
      case 'deleteSession':
        await sessions.remove(request.sessionId);
        return this.#list();
      case 'copy':
        return copyText(request.text);
      case 'insert':
        return insertAtCursor(request.text);
      case 'openRow':
        return this.#open(request.rowId);
      case 'stopBackground':
        await this.#parts.background.stop(request.id, 'unread');
        return;
      case 'showBackground':
        return this.#parts.backgroundCommands.showOutput(request.id);
      case 'openLink':
        return openLink(request.href);
      case 'find':
        return this.#find(request.query);
      case 'openFile':
        return openFile(request.path, request.line ?? null);
      case 'newFile':
        return newFile(request.text, request.language);
      case 'applyCode':
        return this.#parts.codeBlocks.apply(request);
    }
  }

  async #send(request: Extract<PanelRequest, { type: 'send' }>): Promise<void> {
    const { text, replaces, confirmed = false } = request;
    let whole: string | null;
    let images: readonly GivenImage[];
    try {
      whole = await this.#parts.mentions.complete(text);
      images = await this.#readImages(request.images ?? []);
    } catch (thrown) {
      // The text is not lost.
      this.tell({ kind: 'compose', text });
      throw thrown;
    }
    if (whole === null) this.tell({ kind: 'compose', text });
    else await this.#parts.session.send(whole, replaces, { mentionsSecrets: confirmed, images });
  }

  /** What servers have comes later, where they have to be started or asked again. */
  async #completeMention(typed: string): Promise<void> {
    const { mcpContent, mentionChoices } = this.#parts;
    const listed = mcpContent.list();
    const answer = async () => {
      try {
        this.tell({ kind: 'mentionChoices', typed, choices: await mentionChoices.complete(typed) });
      } catch (thrown) {
        // Something else was typed meanwhile.
        if (!isAbort(thrown)) throw thrown;
      }
    };
    this.#completing = typed;
    await answer();
    const before = mcpContent.resources;
    await listed;
    if (this.#completing === typed && mcpContent.resources !== before) await answer();
  }

  async #readImages(images: readonly ImageToSend[]): Promise<readonly GivenImage[]> {
    const { conversation } = this.#parts.session;
    return Promise.all(
      images.map(async (image) => {
        if (image.kind === 'new') return { name: image.name, bytes: Buffer.from(image.data, 'base64') };
        const bytes = (await conversation?.blobs.get(image.blob)) ?? null;
        if (!bytes)
          throw new ToldError(words('{0} can no longer be read. Take it out, or attach it again.', image.name));
        return { name: image.name, bytes };
      }),
    );
  }

  /** Nothing but images leaves the session this way. */
  async #loadImage(blob: string): Promise<void> {
    const bytes = (await this.#parts.session.conversation?.blobs.get(blob)) ?? null;
    const facts = bytes && readImage(bytes);
    const shown = facts ? { mime: facts.mime, bytes } : { mime: 'image/png' as const, bytes: new Uint8Array() };
    this.tell({ kind: 'image', blob, ...shown });
  }

  #run(request: CommandRequest): Promise<void> {
    const running = this.#parts.handlers[request.type](request);
    if (isChoice(request)) this.#chosen = Promise.allSettled([running]);
    return running;
  }

  #answer({ approvalId, hash, answer, reason }: Extract<PanelRequest, { type: 'answer' }>): void {
    const known = this.#parts.session.conversation?.approvals.answer(
      approvalId,
      hash,
      answer === 'deny'
        ? { kind: 'deny', ...(reason ? { reason } : {}) }
        : { kind: 'allow', remember: REMEMBERED[answer] },
    );
    if (!known) throw new ToldError(words('That question is no longer open, so the answer was not used.'));
  }

  async #find(query: string): Promise<void> {
    this.#finding = query;
    const isWanted = () => this.#finding === query;
    const hits = await findInRows(query, (before, count) => this.rows(before, count), isWanted);
    if (isWanted()) this.tell({ kind: 'found', query, hits });
  }

  /** What was searched for, in the session that was found by it. It may lie on a branch that was left. */
  #reveal(hit: Extract<PanelRequest, { type: 'openSession' }>['hit']): void {
    const rowId = hit && this.#parts.session.rowOfEntry(hit.entry);
    if (rowId) this.tell({ kind: 'reveal', rowId, text: hit.text });
  }

  async #queued({ id, act }: Extract<PanelRequest, { type: 'queued' }>): Promise<void> {
    const { conversation } = this.#parts.session;
    if (act === 'send') await conversation?.sendQueued(id);
    else if (act === 'edit') conversation?.editQueued(id);
    else conversation?.queue.remove(id);
  }

  #answerQuestion({ questionId, answer }: Extract<PanelRequest, { type: 'answerQuestion' }>): void {
    const known = this.#parts.session.conversation?.questions.answer(questionId, answer);
    if (!known) throw new ToldError(words('That question is no longer open, so the answer was not used.'));
  }

  /** Lists the sessions for the newest query. */
  async #list(): Promise<void> {
    const asked = this.#listed;
    const { places, session } = this.#parts;
    const sessions = await withCancel(words('Reading the list of sessions…'), (signal) =>
      places.list(asked.query, asked.scope, session.conversation?.id, signal),
    );
    // Typing goes on meanwhile, and only the newest answer counts.
    if (asked === this.#listed) this.tell({ kind: 'sessions', sessions });
  }

  async #open(rowId: string): Promise<void> {
    const { session, sessions, documents, edits } = this.#parts;
    const row = session.row(rowId);
    const asked = row?.type === 'tool' ? row.approval?.id : undefined;
    const question = session.conversation?.approvals.pending.find(({ id }) => id === asked);
    if (question && session.conversation) {
      if (await edits.open(question, session.conversation.approvals)) return;
      return openQuestion(question.request, documents);
    }
    if (row?.type !== 'tool') return;
    const { conversation } = session;
    const subagent = conversation ? subagentOf(rowId, conversation) : null;
    if (conversation && subagent !== null) await sessions.showSubagent(conversation.id, subagent);
    else await openRow(row, conversation ? await textBefore(row, conversation) : null, documents);
  }
}

const REMEMBERED = { allow: 'no', allowSession: 'session', allowAlways: 'always' } as const;

/**
 * A model, strategy or agent that was named. Asking for a list of them is none: a list that is open must not hold a message.
 */
function isChoice(request: CommandRequest): boolean {
  return (
    request.model !== undefined ||
    request.strategy !== undefined ||
    request.agent !== undefined ||
    request.mode !== undefined ||
    request.type === 'useDemo'
  );
}

const COMMAND_TYPES: ReadonlySet<string> = new Set<PanelCommand>(PANEL_COMMANDS);

function isCommand(request: PanelRequest): request is CommandRequest {
  return COMMAND_TYPES.has(request.type);
}
