/** Messages of the user and answers of the assistant. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatCount } from '../../../src/core/figures.ts';
import type { FileEffect, PanelState } from '../../../src/protocol/messages.ts';
import { messageText, type RowOf } from '../../../src/protocol/rows.ts';
import type { Composer } from '../../page/composer.ts';
import { mayDrop, onDrop, onPaste } from '../../page/draftImages.ts';
import { formatTokens, inPanelLanguage, warnOfLoss } from '../../page/format.ts';
import { splitAtMentions } from '../../page/mentions.ts';
import type { Panel } from '../../page/panel.ts';
import { copyWithMark } from '../copyWithMark.ts';
import { viewIconButton, viewTextButton } from '../viewButton.ts';
import { viewAddContext, viewAttach, viewCompletions, viewField, viewSend } from '../viewComposer.ts';
import { picturesNow, viewDraftImages, viewImages } from '../viewImages.ts';
import { viewTokens } from '../viewTokens.ts';
import type { RowKinds, RowPlace } from './rowKinds.ts';
import { FATES, speakFate, viewFateActions, viewFateMark } from './viewFate.ts';

type AssistantRow = RowOf<'assistant'>;

/** In lines and in characters. A longer text of a user is folded. */
const FOLD_LINES = 16;
const FOLD_LENGTH = 1_600;

/** Characters of an answer that are read out; the rest is in the conversation. */
const EXCERPT = 240;

export const MESSAGES: RowKinds<'user' | 'assistant'> = {
  user: {
    view: viewUser,
    // A message that is edited is drawn each time.
    drawnFrom: (panel, { id, images }) =>
      panel.editor?.replaces === id ? String(drawings++) : picturesNow(panel, images),
    height: ({ text }) => 28 + heightOfText(text),
    name: () => t('You'),
  },
  assistant: {
    view: viewAssistant,
    height: ({ text }) => 22 + heightOfText(text),
    name: () => t('Assistant'),
    spoken: ({ live, text }) => (live || !text ? '' : t('{0}: {1}', t('Assistant'), text.slice(0, EXCERPT))),
  },
};

/** In lines of about fifty characters; only the beginning of a long text is measured. */
function heightOfText(text: string): number {
  const sample = text.slice(0, 500);
  const lines = sample.split('\n').reduce((sum, line) => sum + Math.max(Math.ceil(line.length / 50), 0.5), 0);
  return lines * Math.max(text.length / Math.max(sample.length, 1), 1) * 19;
}

let drawings = 0;

function viewUser(panel: Panel, row: RowOf<'user'>, { fixed }: RowPlace): TemplateResult {
  if (panel.editor?.replaces === row.id && panel.state) return viewEdited(panel, panel.editor, row.id, panel.state);
  const key = `${row.id}/text`;
  const text = messageText(row);
  const long = text.length > FOLD_LENGTH || text.split('\n', FOLD_LINES + 1).length > FOLD_LINES;
  const folded = long && !panel.open.has(key);
  return html`
    <section class="row user fate-${row.fate}" data-row=${row.id}>
      <div class="corner">
        ${viewFateMark(row)}
      </div>
      ${viewImages(panel, row.images)}
      <div class="user-text ${folded ? 'folded' : ''}" dir="auto">${viewText(panel, row, text)}</div>
      ${viewMentions(panel, row, text)}
      ${long ? viewTextButton(folded ? t('Show all') : t('Show less'), () => panel.toggle(key), !folded) : nothing}
      <span class="row-actions">
        ${viewTokens(row.tokens, 'row-tokens')}
        ${fixed ? nothing : html`${viewRestore(panel, row)} ${viewEdit(panel, row)} ${viewFateActions(panel, row.id, row)}`}
      </span>
    </section>
  `;
}

function viewEdit(panel: Panel, row: RowOf<'user'>): TemplateResult {
  return viewIconButton('edit', t('Edit this message'), () => panel.edit(row), { kind: 'edit-message' });
}

/** Goes back to the moment before the message. */
function viewRestore(panel: Panel, { checkpoint }: RowOf<'user'>): TemplateResult | typeof nothing {
  if (checkpoint === undefined) return nothing;
  return viewIconButton(
    'discard',
    t('Go back to here: conversation, files or both. You see first what would change.'),
    () => panel.post({ type: 'restoreCheckpoint', checkpoint }),
    { name: `${t('Restore…')} ${t('Checkpoint {0}', formatCount(checkpoint))}` },
  );
}

type Mention = NonNullable<RowOf<'user'>['mentions']>[number];

/** The text as it was written, in which each mention is its own chip. */
function viewText(panel: Panel, { id, mentions = [] }: RowOf<'user'>, text: string) {
  const known = new Map(mentions.map((each) => [each.mention, each]));
  return splitAtMentions(text, [...known.keys()]).map((part) => {
    const mention = known.get(part);
    return mention ? viewMention(panel, id, mention) : part;
  });
}

/** Chips of what was read for the message and is not named in its text. */
function viewMentions(panel: Panel, { id, mentions = [] }: RowOf<'user'>, text: string) {
  const names = mentions.map(({ mention }) => mention);
  const inText = new Set(splitAtMentions(text, names));
  const others = mentions.filter(({ mention }) => !inText.has(mention));
  return others.length === 0
    ? nothing
    : html`<ul class="mentions-row" aria-label=${t('Mentioned')}>
        ${others.map((mention) => html`<li>${viewMention(panel, id, mention)}</li>`)}
      </ul>`;
}

function viewMention(panel: Panel, rowId: string, { mention, tokens, fate }: Mention): TemplateResult {
  const size = formatTokens(tokens);
  const title = [t('Open {0} ({1} tokens)', mention, size), fate === 'kept' ? '' : inPanelLanguage(FATES[fate])]
    .filter(Boolean)
    .join('. ');
  return html`<button
    type="button"
    class="mention fate-${fate}"
    title=${title}
    aria-label=${title}
    @click=${() => panel.post({ type: 'openMention', rowId, mention })}
  ><span class="codicon codicon-${iconOf(mention)}" aria-hidden="true"></span><span class="mention-text">${mention}</span></button>`;
}

function iconOf(mention: string): string {
  const name = mention.replace(/^@"?/, '');
  if (name.startsWith('/')) return 'comment-discussion';
  if (name === 'problems') return 'warning';
  if (name === 'changes') return 'git-compare';
  if (name.startsWith('terminal')) return 'terminal';
  if (name.startsWith('session:')) return 'history';
  if (name.includes('#')) return 'symbol-method';
  if (/^[^:/]+:[a-z][a-z0-9+.-]*:/i.test(name)) return 'plug';
  return name.replace(/"$/, '').endsWith('/') ? 'folder' : 'file';
}

/** The buttons of an answer that ends its turn stand below it; those of others do not part it from its calls. */
function viewAssistant(panel: Panel, row: AssistantRow, { fixed, continues, ends }: RowPlace): TemplateResult {
  return html`
    <section class="row assistant fate-${row.fate}" data-row=${row.id} aria-busy=${row.live}>
      ${!continues && row.scripted ? html`<span class="tag" title=${t('The demo model follows a script. It runs the real tools, and it does not think.')}>${t('scripted')}</span>` : nothing}
      ${row.reasoning ? viewReasoning(panel, row) : nothing}
      ${row.text ? panel.markdown(row.id, row.text) : nothing}
      ${
        row.interrupted
          ? html`<p class="interrupted"><span class="codicon codicon-debug-disconnect" aria-hidden="true"></span>${t('This answer was interrupted.')}</p>`
          : nothing
      }
      ${
        row.live
          ? nothing
          : html`${speakFate(row)}
            <div class="row-foot ${ends || row.pinned ? '' : 'over'}">
              ${row.pinned ? viewFateMark(row) : nothing}
              <span class="row-actions">
                ${viewIconButton('copy', t('Copy answer'), ({ currentTarget }) => copyWithMark(panel, row.text, currentTarget as Element))}
                ${fixed ? nothing : viewRetry(panel, row)}
                ${fixed ? nothing : viewFateActions(panel, row.id, row)}
                ${viewTokens(row.tokens, 'row-tokens')}
              </span>
            </div>`
      }
    </section>
  `;
}

/** Regenerates everything after the message that this answers; the old answer stays as a branch. */
function viewRetry(panel: Panel, { id }: AssistantRow): TemplateResult | typeof nothing {
  const asked = panel.rows.questionBefore(id);
  if (!asked) return nothing;
  const label = t('Answer this message again. What follows it is kept as a branch.');
  const retry = () => {
    if (panel.state?.status !== 'idle') panel.composer.hint = t('The agent is still working. Stop it first, or wait.');
    else {
      panel.post({ type: 'send', text: asked.text, replaces: asked.id });
      panel.reader.follow();
    }
    panel.invalidate();
  };
  return viewIconButton('refresh', label, retry);
}

function viewReasoning(panel: Panel, row: AssistantRow): TemplateResult {
  const key = `${row.id}/reasoning`;
  const open = panel.open.has(key);
  return html`
    <button type="button" class="disclosure" aria-expanded=${open} @click=${() => panel.toggle(key)}>
      <span class="codicon ${open ? 'codicon-chevron-down' : 'codicon-chevron-right'}" aria-hidden="true"></span>
      ${t('Thinking')}
    </button>
    ${open ? html`<div class="reasoning" dir="auto">${row.reasoning}</div>` : nothing}
  `;
}

/** An earlier message while it is edited in its row: its text, the files that go back with it, and what sending does. */
function viewEdited(panel: Panel, composer: Composer, rowId: string, state: PanelState): TemplateResult {
  const { name, list } = composer.completions(state);
  return html`
    <section class="row user edited" data-row=${rowId} aria-label=${t('Edit this message')}>
      <div
        class="composer-box"
        @paste=${(event: ClipboardEvent) => onPaste(composer, event)}
        @dragover=${(event: DragEvent) => mayDrop(event) && event.preventDefault()}
        @drop=${(event: DragEvent) => onDrop(composer, event)}
      >
        ${viewDraftImages(panel, composer, state)} ${viewField(panel, composer, t('New text'), '', state, list)}
        ${viewCompletions(composer, name, list)}
        <div class="composer-bar">
          ${viewAddContext(composer, state)} ${viewAttach(panel, composer, state)}
          <span class="grow"></span>
          ${viewTextButton(t('Cancel'), () => panel.endEdit())}
          ${viewSend(composer, state)}
        </div>
      </div>
      ${composer.hint ? html`<p class="hint" role="alert">${composer.hint}</p>` : nothing}
      <p class="edit-note">
        ${t('Editing an earlier message. Sending it keeps what came after as a branch.')} ${warnOfLoss(state)}
      </p>
      ${viewFiles(panel, composer)}
    </section>
  `;
}

/** The choice whether files go back, too, and their list on demand. */
function viewFiles(panel: Panel, composer: Composer): TemplateResult | typeof nothing {
  const { files: preview } = composer;
  if (!preview) return nothing;
  const { files, back, more, incomplete } = preview;
  const key = `${composer.replaces}/files`;
  const open = panel.open.has(key);
  return html`
    <div class="edit-files">
      ${
        back > 0
          ? html`<label>
              <input
                type="checkbox"
                .checked=${composer.putsBack}
                @change=${({ target }: Event) => {
                  composer.putsBack = (target as HTMLInputElement).checked;
                  panel.invalidate();
                }}
              />
              ${back === 1 ? t('Put one file back as it was before') : t('Put {0} files back as they were before', formatCount(back))}
            </label>`
          : html`<span class="grow">${files.length === 0 ? t('No file changed since then.') : t('No file can be restored.')}</span>`
      }
      ${files.length > 0 ? viewTextButton(open ? t('Hide files') : t('Show files'), () => panel.toggle(key), open) : nothing}
    </div>
    ${
      open && files.length > 0
        ? html`<ul class="edit-list">
            ${files.map(
              ({ path, effect }) => html`<li class=${effect}>
                <span class="clip path" title=${path}><bdi dir="ltr">${path}</bdi></span>
                <span class="edit-effect">${composer.putsBack || back === 0 ? describeEffect(effect) : t('stays')}</span>
              </li>`,
            )}
            ${more > 0 ? html`<li>${t('{0} more.', formatCount(more))}</li>` : nothing}
          </ul>`
        : nothing
    }
    ${
      incomplete
        ? html`<p class="edit-note">
            ${t('A command ran where not every file could be checked, so it may have changed more than is listed here.')}
          </p>`
        : nothing
    }
  `;
}

function describeEffect(effect: FileEffect): string {
  switch (effect) {
    case 'restored':
      return t('will be restored');
    case 'created':
      return t('will be created again');
    case 'removed':
      return t('will be deleted: it did not exist then');
    case 'stays':
      return t('stays: somebody else has changed it since');
    case 'lost':
      return t('cannot be restored');
  }
}
