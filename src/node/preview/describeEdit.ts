/**
 * An editable preview as a page: a sticky bar with its size, the texts to insert, and every message with its fate,
 * grouped by turn. A group without changes is the same object as before, so that only changes are sent and drawn.
 */

import { CHOICES, type Choice, PlanEdit } from '../../core/compaction/consent/planEdit.ts';
import type { Preview } from '../../core/compaction/consent/preview.ts';
import { isLedger } from '../../core/compaction/draft/ledgerLines.ts';
import type { ContextItem } from '../../core/context/item.ts';
import type { RequestCosts } from '../../core/cost/spending.ts';
import { countFates, FATE_NAMES, fateWords } from '../../core/fates.ts';
import { formatCount } from '../../core/figures.ts';
import { sumTokens } from '../../core/tokens/meter.ts';
import { inLanguage, type Translate, type Words } from '../../core/words.ts';
import type { Page, PageAction, PageBlock, PageChoices } from '../../protocol/pages.ts';
import { countParts, EXCERPT, excerptOf, folded, list, nameItem, section, text, toCell } from '../pages/blocks.ts';
import { barsOf, type Room, tableOfKinds } from './contextBars.ts';
import { describeAsked, describeCosts, foldLedger } from './describePreview.ts';

/** Messages of one group; a block is never split. */
const GROUP = 40;
/** With more messages than this, the groups start collapsed. */
const ALL_OPEN = 40;

/** The page's present content. */
interface EditView extends Room {
  /** With the person's changes. */
  readonly preview: Preview;
  readonly edit: PlanEdit;
  /** Messages about the newest choices, by row id. */
  readonly notes: ReadonlyMap<string, Words>;
  /** Why it cannot be applied, or a caution. */
  readonly warnings: readonly Words[];
  readonly actions: readonly PageAction[];
  /** Counts how often the texts were reset. */
  readonly version: number;
  readonly costs: RequestCosts | null;
  /** Tokens at the beginning of the request that stay unchanged. */
  readonly unchanged: number;
}

interface Group {
  readonly id: string;
  readonly title: string;
  readonly from: number;
  readonly to: number;
}

/** The state of the messages of a group. */
interface GroupView {
  readonly chosen: readonly Choice[];
  /** Uncalibrated tokens afterwards. */
  readonly tokens: readonly number[];
  readonly fates: Preview['items'];
  readonly labels: readonly string[];
  /** Tokens as the meter counts them for one of an estimate. */
  readonly factor: number;
}

export class EditPage {
  readonly #label: string;
  readonly #t: Translate;
  readonly #items: readonly ContextItem[];
  readonly #groups: readonly Group[];
  readonly #drawn = new Map<string, { readonly key: string; readonly block: PageBlock }>();

  /** `items` are the preview's input. */
  constructor(label: string, items: readonly ContextItem[], t: Translate) {
    this.#label = label;
    this.#t = t;
    this.#items = items;
    this.#groups = groupItems(items, t);
  }

  describe(view: EditView): Page {
    const t = this.#t;
    const { preview, warnings, actions, costs } = view;
    const asked = describeAsked(preview, t);
    return {
      title: t('Preview of {0}', this.#label),
      subtitle: t('Nothing changes until you apply it, and applying it can be undone.'),
      blocks: [
        {
          kind: 'pinned',
          blocks: [
            barsOf(preview, view, t),
            { kind: 'actions', actions: [...actions] },
            ...warnings.map((each) => text(inLanguage(each, t), 'warning')),
          ],
        },
        section(t('Result'), [
          tableOfKinds(preview, view, t),
          text(costs ? describeCosts(costs, t) : describeUnchanged(view, t)),
          ...(asked ? [text(asked, 'quiet')] : []),
          ...(preview.repairs.length > 0
            ? [
                folded(
                  'repairs',
                  t('Corrections'),
                  [list(preview.repairs.map((each) => inLanguage(each, t)))],
                  formatCount(preview.repairs.length),
                ),
              ]
            : []),
        ]),
        section(t('What is added'), this.#added(view)),
        section(t('What happens to each message'), [
          text(t('In a row, press k, h, s or d to choose. Arrow keys go from row to row.'), 'quiet'),
        ]),
        ...this.#groups.map((group) => this.#group(group, view)),
      ],
    };
  }

  #added({ preview, edit, version }: EditView): PageBlock[] {
    const t = this.#t;
    const { bare, draft } = edit.proposal;
    const inputs = bare.inserts.flatMap((insert, at): PageBlock[] =>
      PlanEdit.isRewritable(insert)
        ? [
            {
              kind: 'input',
              id: `${at}`,
              label: t('Summary: change its text as you like'),
              text: edit.texts.get(at) ?? insert.text,
              version,
            },
          ]
        : [],
    );
    const notes = preview.proposal.draft.inserts.flatMap(({ text: note }, at) =>
      isLedger(note) || PlanEdit.isRewritable({ text: note })
        ? []
        : [folded(`note${at}`, t('Note'), [{ kind: 'code', text: note }], toCell(note, EXCERPT))],
    );
    const all = [...inputs, ...notes, ...foldLedger(preview, t)];
    return all.length > 0 || draft.inserts.length > 0 ? all : [text(t('Nothing.'), 'quiet')];
  }

  #group({ id, title, from, to }: Group, { preview, edit, notes }: EditView): PageBlock {
    const t = this.#t;
    const { draft } = preview.proposal;
    const { factor } = preview.start.budget.reading;
    const chosen = Array.from({ length: to - from }, (_, i) => edit.choiceAt(from + i));
    const tokens = chosen.map((_, i) => draft.tokensAt(from + i));
    const fates = preview.items.slice(from, to);
    const labels = [id, ...this.#items.slice(from, to).map((item) => item.id)].map((row) => {
      const reason = notes.get(row);
      return reason ? inLanguage(reason, t) : '';
    });
    const key = JSON.stringify([chosen, tokens, fates, labels]);
    const drawn = this.#drawn.get(id);
    if (drawn?.key === key) return drawn.block;
    const block = this.#drawGroup({ id, title, from, to }, edit, { chosen, tokens, fates, labels, factor });
    this.#drawn.set(id, { key, block });
    return block;
  }

  #drawGroup(
    { id, title, from, to }: Group,
    edit: PlanEdit,
    { chosen, tokens, fates, labels, factor }: GroupView,
  ): PageBlock {
    const t = this.#t;
    const items = this.#items.slice(from, to);
    const size = (before: number, after: number) => describeSize(before * factor, after * factor, t);
    const all = new Set(chosen);
    const head: PageChoices['rows'][number] = {
      id,
      title: t('All of these'),
      note: countParts(items, t),
      text: '',
      chosen: all.size === 1 ? (chosen[0] ?? '') : '',
      changed: false,
      head: true,
      refused: [],
      ...(labels[0] ? { said: labels[0] } : {}),
    };
    const rows = items.map((item, i): PageChoices['rows'][number] => {
      const index = from + i;
      return {
        id: item.id,
        title: nameItem(item, t),
        note: [
          size(item.tokens, tokens[i] ?? 0),
          // A person chooses to drop it; whether a summary was written from it, the plan tells.
          ...(chosen[i] === 'drop' ? [inLanguage(FATE_NAMES[fates[i]?.fate ?? 'removed'], t)] : []),
          ...(item.pinned ? [t('pinned')] : []),
          ...(item.hidden ? [t('hidden before')] : []),
        ].join(' · '),
        text: excerptOf(item, t),
        chosen: chosen[i] ?? 'keep',
        changed: edit.leaves.has(item.block) || edit.stays.has(index),
        ...(items[i - 1]?.block === item.block ? { joined: true } : {}),
        refused: CHOICES.flatMap((choice): [string, string][] => {
          const reason = edit.refusal(index, choice);
          return reason ? [[choice, inLanguage(reason, t)]] : [];
        }),
        ...(labels[i + 1] ? { said: labels[i + 1] } : {}),
      };
    });
    const changed = countFates(fates.filter(({ fate }) => fate !== 'kept'));
    const summary = changed.map((each) => inLanguage(fateWords(each), t));
    const then = tokens.reduce((sum, each) => sum + each, 0);
    return {
      kind: 'section',
      id,
      title,
      note: [countParts(items, t), size(sumTokens(items), then), ...summary].join(' · '),
      fold: this.#items.length > ALL_OPEN ? 'closed' : 'open',
      blocks: [
        { kind: 'choices', label: title, options: optionsOf(t), rows: items.length > 1 ? [head, ...rows] : rows },
      ],
    };
  }

  /** Indices of the messages in a row: one, or those of its group. */
  indicesOf(row: string): readonly number[] {
    const group = this.#groups.find(({ id }) => id === row);
    if (group) return Array.from({ length: group.to - group.from }, (_, i) => group.from + i);
    const index = this.#items.findIndex(({ id }) => id === row);
    return index < 0 ? [] : [index];
  }
}

const optionsOf = (t: Translate): PageChoices['options'] => [
  { id: 'keep', label: t('Keep'), key: 'k' },
  { id: 'hide', label: t('Hide'), key: 'h' },
  { id: 'shorten', label: t('Shorten'), key: 's' },
  { id: 'drop', label: t('Drop'), key: 'd' },
];

const describeSize = (before: number, after: number, t: Translate): string =>
  before === after
    ? t('{0} tokens', formatCount(before))
    : t('{0} → {1} tokens', formatCount(before), formatCount(after));

/** Where no price is known. */
function describeUnchanged({ preview, unchanged }: EditView, t: Translate): string {
  const same = Math.min(unchanged, preview.tokensAfter);
  return t(
    'The first {0} tokens stay as they are, and in the provider’s cache if it has one; the other {1} are read again once.',
    formatCount(same),
    formatCount(preview.tokensAfter - same),
  );
}

/** By turn; a long turn is split. */
function groupItems(items: readonly ContextItem[], t: Translate): Group[] {
  const groups: Group[] = [];
  for (let from = 0; from < items.length; ) {
    const round = items[from]?.round;
    let to = from + 1;
    while (
      to < items.length &&
      items[to]?.round === round &&
      (to - from < GROUP || items[to]?.block === items[to - 1]?.block)
    )
      to++;
    const notes = items.slice(from, to).find(({ kind }) => kind === 'user') ?? items[from];
    const title = notes ? toCell(notes.message.text, EXCERPT / 2) || nameItem(notes, t) : '';
    const goesOn = items[from - 1]?.round === round;
    groups.push({ id: `from-${items[from]?.id ?? from}`, title: goesOn ? t('… {0}', title) : title, from, to });
    from = to;
  }
  return groups;
}
