/** Images of a message: pending ones, which can be removed, and sent ones. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { PanelState } from '../../src/protocol/messages.ts';
import type { RowOf } from '../../src/protocol/rows.ts';
import type { Composer } from '../page/composer.ts';
import type { Panel } from '../page/panel.ts';
import { viewIconButton, viewTextButton } from './viewButton.ts';

export function viewDraftImages(panel: Panel, composer: Composer, state: PanelState): TemplateResult | typeof nothing {
  if (composer.images.length === 0) return nothing;
  const model = state.models.find(({ id }) => id === state.model)?.label ?? state.model;
  return html`
    <ul class="images" aria-label=${t('Attached images')}>
      ${composer.images.map(
        (image, index) => html`<li class="image">
          ${viewPicture(panel.pictures.addressOfDraft(image), image.name)}
          <span class="clip" title=${image.name}>${image.name}</span>
          ${viewIconButton('close', t('Remove {0}', image.name), () => {
            composer.setImages(composer.images.filter((_, at) => at !== index));
            panel.afterRender(() => composer.focus());
          })}
        </li>`,
      )}
    </ul>
    ${state.images === 'yes' || !state.modelReady ? nothing : viewNote(panel, composer, state.images, model)}
  `;
}

function viewNote(panel: Panel, composer: Composer, images: PanelState['images'], model: string): TemplateResult {
  const takes = (lasting: boolean) => {
    panel.post({ type: 'takesImages', lasting });
    if (!lasting) panel.state && composer.submit(panel.state);
    composer.focus();
  };
  return html`<p class="images-note" role="status">
    <span class="codicon codicon-warning" aria-hidden="true"></span>
    ${
      images === 'no'
        ? t(
            '{0} does not accept images, so it will only be told their names. Choose another model, or set “images” for it in palimpsest.endpoints.',
            model,
          )
        : html`${t('It is not known whether {0} takes images. Send gives it only their names.', model)}
            ${viewTextButton(t('Send with images'), () => takes(false))}
            ${viewTextButton(t('Always send images'), () => takes(true))}`
    }
  </p>`;
}

/** Addresses of a row's images, as far as loaded. */
export function picturesNow({ pictures }: Panel, images: RowOf<'user'>['images'] = []): string {
  return images.map(({ blob }) => pictures.addressOf(blob)).join(' ');
}

export function viewImages(panel: Panel, images: RowOf<'user'>['images']): TemplateResult | typeof nothing {
  if (!images?.length) return nothing;
  return html`<ul class="images" aria-label=${t('Images')}>
    ${images.map(({ blob, name, width, height }) => {
      const size = width > 0 ? `, ${width} × ${height}` : '';
      return html`<li class="image" title="${name}${size}">
        ${viewPicture(panel.pictures.addressOf(blob), name)}
        <span class="clip">${name}</span>
      </li>`;
    })}
  </ul>`;
}

/** A placeholder is shown until it is loaded, and when it is missing. */
function viewPicture(address: string, name: string): TemplateResult {
  return address
    ? html`<img src=${address} alt=${name} />`
    : html`<span class="codicon codicon-file-media" role="img" aria-label=${name}></span>`;
}
