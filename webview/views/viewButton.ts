/** The two kinds of buttons that nearly every view has. */

import { html, nothing, type TemplateResult } from 'lit';

interface More {
  /** For assistive technology, where the label alone says too little. */
  readonly name?: string;
  /** A class. */
  readonly kind?: string;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
}

/** A button that shows only an icon. The label is its tooltip, and its name unless there is another one. */
export function viewIconButton(
  icon: string,
  label: string,
  act: (event: MouseEvent) => void,
  { name = label, kind = '', disabled = false, pressed }: More = {},
): TemplateResult {
  return html`<button
    type="button"
    class="icon codicon codicon-${icon} ${kind}"
    title=${label}
    aria-label=${name}
    aria-pressed=${pressed ?? nothing}
    ?disabled=${disabled}
    @click=${act}
  ></button>`;
}

/** `expanded`: given for a button that opens a part of the page, and whether it is open. */
export function viewTextButton(label: string, act: () => void, expanded?: boolean): TemplateResult {
  return html`<button type="button" class="text-button" aria-expanded=${expanded ?? nothing} @click=${act}>${label}</button>`;
}
