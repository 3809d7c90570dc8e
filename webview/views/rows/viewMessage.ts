/** Messages of the user and answers of the assistant. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { RowOf } from '../../../src/protocol/rows.ts';
import { formatTokens, tell } from '../../page/format.ts';
import type { Panel } from '../../page/panel.ts';
import { copyWithMark } from '../rowKeys.ts';
import { picturesNow, viewImages } from '../viewImages.ts';
import { FATES, viewFateActions, viewFateMark } from './viewFate.ts';
import type { RowKinds, RowPlace } from './viewRow.ts';

type AssistantRow = RowOf<'assistant'>;

/** In lines and in characters. A longer text of a user is folded. */
const FOLD_LINES = 16;
const FOLD_LENGTH = 1_600;

/** Characters of an answer that are read out; the rest is in the conversation. */
const EXCERPT = 240;

export const MESSAGES: RowKinds<'user' | 'assistant'> = {
  user: {
    view: viewUser,
    drawnFrom: (panel, { images }) => picturesNow(panel, images),
    height: ({ text }) => 50 + heightOfText(text),
    name: () => t('You'),
  },
  assistant: {
    view: viewAssistant,
    height: ({ text }) => 30 + heightOfText(text),
    name: () => t('Assistant'),
    spoken: ({ live, text }) => (live || !text ? '' : `${t('Assistant')}: ${text.slice(0, EXCERPT)}`),
  },
};

/** In lines of about fifty characters; only the beginning of a long text is measured. */
function heightOfText(text: string): number {
  const sample = text.slice(0, 500);
  const lines = sample.split('\n').reduce((sum, line) => sum + Math.max(Math.ceil(line.length / 50), 0.5), 0);
  return lines * Math.max(text.length / Math.max(sample.length, 1), 1) * 19;
}

function viewUser(panel: Panel, row: RowOf<'user'>, { fixed }: RowPlace): TemplateResult {
  const key = `${row.id}/text`;
  const long = row.text.length > FOLD_LENGTH || row.text.split('\n', FOLD_LINES + 1).length > FOLD_LINES;
  const folded = long && !panel.open.has(key);
  return html`
    <section class="row user fate-${row.fate}" data-row=${row.id}>
      <div class="row-head">
        <span class="who">${t('You')}</span>${viewFateMark(row)}
        <span class="row-actions">
          <span class="row-tokens">${formatTokens(row.tokens)}</span>
          ${
            fixed
              ? nothing
              : html`<button
                    type="button"
                    class="icon codicon codicon-edit"
                    title=${t('Edit this message')}
                    aria-label=${t('Edit this message')}
                    @click=${() => panel.composer.edit(row.id, row.text, row.images)}
                  ></button>
                  ${viewFateActions(panel, row.id, row)}`
          }
        </span>
      </div>
      ${viewImages(panel, row.images)}
      <div class="user-text ${folded ? 'folded' : ''}" dir="auto">${row.text}</div>
      ${row.mentions === undefined ? nothing : viewMentions(panel, row.id, row.mentions)}
      ${
        long
          ? html`<button type="button" class="text-button" aria-expanded=${!folded} @click=${() => panel.toggle(key)}>
              ${folded ? t('Show all') : t('Show less')}
            </button>`
          : nothing
      }
    </section>
  `;
}

function viewMentions(panel: Panel, rowId: string, mentions: NonNullable<RowOf<'user'>['mentions']>): TemplateResult {
  return html`<ul class="mentions-row" aria-label=${t('Mentioned')}>
    ${mentions.map(({ mention, tokens, fate }) => {
      const told = [t('Open {0} ({1} tokens)', mention, formatTokens(tokens)), fate === 'seen' ? '' : tell(FATES[fate])]
        .filter(Boolean)
        .join('. ');
      return html`<li>
        <button
          type="button"
          class="mention fate-${fate}"
          title=${told}
          aria-label=${told}
          @click=${() => panel.post({ type: 'openMention', rowId, mention })}
        >
          <span class="codicon codicon-${iconOf(mention)}" aria-hidden="true"></span>
          <span class="clip">${mention.replace(/^@"(.*)"$/, '$1').replace(/^@/, '')}</span>
          <span class="mention-tokens">${formatTokens(tokens)}</span>
        </button>
      </li>`;
    })}
  </ul>`;
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

/** Within a turn the speaker is not named again. */
function viewAssistant(panel: Panel, row: AssistantRow, { fixed, continues }: RowPlace): TemplateResult {
  const named = !continues;
  return html`
    <section class="row assistant fate-${row.fate} ${named ? '' : 'continues'}" data-row=${row.id} aria-busy=${row.live}>
      <div class="row-head">
        ${named ? html`<span class="who">${t('Assistant')}</span>` : nothing}
        ${named && row.scripted ? html`<span class="tag" title=${t('The demo model follows a script. It runs the real tools, and it does not think.')}>${t('scripted')}</span>` : nothing}
        ${viewFateMark(row)}
        ${
          row.live
            ? nothing
            : html`<span class="row-actions">
                ${named ? html`<span class="row-tokens">${formatTokens(row.tokens)}</span>` : nothing}
                <button
                  type="button"
                  class="icon codicon codicon-copy"
                  title=${t('Copy answer')}
                  aria-label=${t('Copy answer')}
                  @click=${({ currentTarget }: MouseEvent) => copyWithMark(panel, row.text, currentTarget as Element)}
                ></button>
                ${fixed ? nothing : viewRetry(panel, row)}
                ${fixed ? nothing : viewFateActions(panel, row.id, row)}
              </span>`
        }
      </div>
      ${row.reasoning ? viewReasoning(panel, row) : nothing}
      ${row.text ? panel.markdown(row.id, row.text) : nothing}
      ${row.live && !row.text && !row.reasoning ? html`<p class="writing">${t('Writing…')}</p>` : nothing}
      ${
        row.interrupted
          ? html`<p class="interrupted"><span class="codicon codicon-debug-disconnect" aria-hidden="true"></span>${t('This answer was interrupted.')}</p>`
          : nothing
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
  return html`<button type="button" class="icon codicon codicon-refresh" title=${label} aria-label=${label} @click=${retry}></button>`;
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
