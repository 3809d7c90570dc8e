/**
 * One preview on a page, while a person edits it: their choices, the resulting figures, and messages about the newest.
 * It commits nothing itself. When the conversation has changed, the choices are kept and can be tried on a new preview.
 */

import { CHOICES, PlanEdit } from '../../core/compaction/consent/planEdit.ts';
import { type Preview, type PreviewOutcome, withProposal } from '../../core/compaction/consent/preview.ts';
import type { RequestCosts } from '../../core/cost/spending.ts';
import { type Translate, type Words, words } from '../../core/words.ts';
import type { Room } from '../../node/preview/contextBars.ts';
import { EditPage } from '../../node/preview/describeEdit.ts';
import type { Page, PageAction } from '../../protocol/pages.ts';
import type { PageActions, PageInputs } from '../pages/pages.ts';

/** The editor's queries to the session. */
interface PreviewSession {
  /** True while the preview can still be applied to the conversation. */
  isCurrent(preview: Preview): boolean;
  costs(preview: Preview): RequestCosts | null;
  /** Tokens at the beginning of the next request that the preview leaves unchanged. */
  unchanged(preview: Preview): number;
  /** Before the person's changes and after them, its bars are drawn in the same room. */
  readonly room: Room;
}

export interface Offer {
  readonly label: string;
  readonly primary?: boolean;
  /** It applies the shown version, so it is disabled while that is impossible. */
  readonly applies?: boolean;
  readonly act: () => unknown;
}

interface EditorParts {
  readonly label: string;
  readonly preview: Preview;
  readonly session: PreviewSession;
  readonly offers: readonly Offer[];
  /** Repeats the preview on the present conversation; null where that is impossible. */
  readonly again: (() => Promise<PreviewOutcome>) | null;
  /** Called on each change with the shown version. */
  readonly onChange: (shown: Preview) => void;
  readonly write: (page: Page) => unknown;
  readonly t: Translate;
}

export class PreviewEditor implements PageInputs {
  readonly #parts: EditorParts;
  #preview: Preview;
  #edit: PlanEdit;
  #edited: ReturnType<PlanEdit['apply']>;
  #page: EditPage;
  #notes = new Map<string, Words>();
  #messages: readonly Words[] = [];
  #version = 0;

  constructor(parts: EditorParts) {
    this.#parts = parts;
    this.#preview = parts.preview;
    this.#edit = new PlanEdit(parts.preview.start, parts.preview.proposal);
    this.#edited = this.#edit.apply();
    this.#page = this.#newPage();
  }

  /** The person's version; the original one where their changes cannot be applied. */
  get shown(): Preview {
    const { proposal, refused } = this.#edited;
    return refused === null ? withProposal(this.#preview, proposal) : this.#preview;
  }

  choose(row: string, option: string): void {
    const choice = CHOICES.find((each) => each === option);
    const indices = this.#page.indicesOf(row);
    if (!choice || indices.length === 0) return;
    this.#notes.clear();
    let refused = 0;
    for (const index of indices) {
      // A block that left with the preceding message is skipped.
      if (this.#edit.choiceAt(index) === choice) continue;
      const outcome = this.#edit.choose(index, choice);
      if (outcome.kind === 'edit') this.#edit = outcome.edit;
      else if (indices.length === 1) this.#notes.set(row, outcome.reason);
      else refused += 1;
    }
    if (refused > 0)
      this.#notes.set(row, words('{0} of them cannot be changed this way, and stay as they were.', refused));
    this.#renew();
  }

  write(id: string, text: string): void {
    const outcome = this.#edit.rewrite(Number(id), text);
    this.#messages = outcome.kind === 'refused' ? [outcome.reason] : [];
    if (outcome.kind === 'edit') this.#edit = outcome.edit;
    this.#renew();
  }

  reset(): void {
    this.#edit = new PlanEdit(this.#edit.start, this.#edit.proposal);
    this.#version += 1;
    this.#notes.clear();
    this.#messages = [];
    this.#renew();
  }

  /** Shows the person a message about the whole preview, such as why it could not be applied. */
  report(notice: Words): void {
    this.#messages = [notice];
    this.draw();
  }

  /** The conversation has changed: makes a new preview with the same choices. */
  async renewed(): Promise<void> {
    const outcome = await this.#parts.again?.();
    if (!outcome) return;
    if (outcome.kind !== 'preview') return this.report(outcome.reason);
    const { edit, lost } = this.#edit.carryTo(new PlanEdit(outcome.start, outcome.proposal));
    this.#preview = outcome;
    this.#edit = edit;
    this.#page = this.#newPage();
    this.#version += 1;
    this.#messages = lost > 0 ? [words('{0} of your changes no longer fit and were left out.', lost)] : [];
    this.#renew();
  }

  get actions(): PageActions {
    const own = Object.fromEntries(this.#parts.offers.map(({ act }, at) => [`${at}`, act]));
    return { ...own, reset: () => this.reset(), again: () => this.renewed() };
  }

  describe(): Page {
    const { session, offers, t, again } = this.#parts;
    const shown = withProposal(this.#preview, this.#edited.proposal);
    const moved = !session.isCurrent(this.#preview);
    const refused = this.#edited.refused;
    const actions: PageAction[] = [
      ...offers.map(({ label, primary = false, applies = false }, at) => ({
        id: `${at}`,
        label,
        primary,
        off: applies && (moved || refused !== null),
      })),
      { id: 'reset', label: t('Reset'), off: !this.#edit.isEdited },
      ...(moved && again ? [{ id: 'again', label: t('Preview again with my changes'), primary: true }] : []),
    ];
    return this.#page.describe({
      preview: shown,
      edit: this.#edit,
      notes: this.#notes,
      warnings: [...(moved ? [MOVED_ON] : []), ...(refused ? [refused] : []), ...this.#messages],
      actions,
      version: this.#version,
      costs: session.costs(shown),
      ...session.room,
      unchanged: session.unchanged(shown),
    });
  }

  draw(): void {
    this.#parts.write(this.describe());
  }

  #renew(): void {
    this.#edited = this.#edit.apply();
    this.#parts.onChange(this.shown);
    this.draw();
  }

  #newPage(): EditPage {
    const { label, t } = this.#parts;
    const { items, messages } = this.#preview.start.history;
    // The conversation's own list keeps growing.
    return new EditPage(label, items.slice(0, messages.length), t);
  }
}

const MOVED_ON = words(
  'The conversation has changed since this preview was made, so it cannot be applied. Your changes are kept.',
);
