/** An earlier message while it is edited in its row: its text, the files that go back with it, and what sending does. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { FileEffect, PanelState } from '../../../src/protocol/messages.ts';
import type { Composer } from '../../page/composer.ts';
import { mayDrop, onDrop, onPaste } from '../../page/draftImages.ts';
import { warnOfLoss } from '../../page/format.ts';
import { viewAddContext, viewAttach, viewCompletions, viewField, viewSend } from '../viewComposer.ts';
import { viewDraftImages } from '../viewImages.ts';

export function viewEdited(composer: Composer, rowId: string, state: PanelState): TemplateResult {
  const { panel } = composer;
  const { name, list } = composer.completions(state);
  return html`
    <section class="row user edited" data-row=${rowId} aria-label=${t('Edit this message')}>
      <div
        class="composer-box"
        @paste=${(event: ClipboardEvent) => onPaste(composer, event)}
        @dragover=${(event: DragEvent) => mayDrop(event) && event.preventDefault()}
        @drop=${(event: DragEvent) => onDrop(composer, event)}
      >
        ${viewDraftImages(composer, state)} ${viewField(composer, t('New text'), '', state, list)}
        ${viewCompletions(composer, name, list)}
        <div class="composer-bar">
          ${viewAddContext(composer, state)} ${viewAttach(composer, state)}
          <span class="grow"></span>
          <button type="button" class="text-button" @click=${() => panel.endEdit()}>${t('Cancel')}</button>
          ${viewSend(composer, state)}
        </div>
      </div>
      ${composer.hint ? html`<p class="hint" role="alert">${composer.hint}</p>` : nothing}
      <p class="edit-note">
        ${t('Editing an earlier message. Sending it keeps what came after as a branch.')} ${warnOfLoss(state)}
      </p>
      ${viewFiles(composer)}
    </section>
  `;
}

/** The choice whether files go back, too, and their list on demand. */
function viewFiles(composer: Composer): TemplateResult | typeof nothing {
  const { panel, files: preview } = composer;
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
              ${back === 1 ? t('Put one file back as it was before') : t('Put {0} files back as they were before', back)}
            </label>`
          : html`<span class="grow">${files.length === 0 ? t('No file changed since then.') : t('No file can be put back.')}</span>`
      }
      ${
        files.length > 0
          ? html`<button type="button" class="text-button" aria-expanded=${open} @click=${() => panel.toggle(key)}>
              ${open ? t('Hide files') : t('Show files')}
            </button>`
          : nothing
      }
    </div>
    ${
      open && files.length > 0
        ? html`<ul class="edit-list">
            ${files.map(
              ({ path, effect }) => html`<li class=${effect}>
                <span class="clip path" title=${path}><bdi dir="ltr">${path}</bdi></span>
                <span class="edit-effect">${composer.putsBack || back === 0 ? sayEffect(effect) : t('stays')}</span>
              </li>`,
            )}
            ${more > 0 ? html`<li>${t('{0} more.', more)}</li>` : nothing}
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

function sayEffect(effect: FileEffect): string {
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
