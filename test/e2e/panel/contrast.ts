/** Contrast of what the browser computed, measured in the page: from 1, the same colour, to 21. */

import type { Page } from '@playwright/test';

/** Where an element has the colour that carries its meaning. */
export type Ink =
  | 'color'
  | 'fill'
  | 'stroke'
  | 'backgroundColor'
  | 'borderTopColor'
  | 'borderInlineStartColor'
  | 'placeholder';

export interface Measured {
  /** Element and classes. */
  readonly what: string;
  readonly contrast: number;
}

/** Each element of `selector` that is drawn, with the contrast of its ink on the ground behind it. */
export const measure = (page: Page, selector: string, ink: Ink): Promise<Measured[]> =>
  page.evaluate(
    ([wanted, property]) => {
      const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      if (!pen) throw new Error('no canvas');
      const paint = (colours: readonly string[]) => {
        pen.globalCompositeOperation = 'source-over';
        pen.clearRect(0, 0, 1, 1);
        for (const colour of colours) {
          pen.fillStyle = '#000';
          pen.fillStyle = colour;
          pen.fillRect(0, 0, 1, 1);
        }
        return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
      };
      const luminance = (rgb: readonly number[]) => {
        const [r = 0, g = 0, b = 0] = rgb.map((value) =>
          value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
        );
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      /** From the page to what is nearest behind the element. */
      const grounds = (element: Element | null): string[] =>
        element === null ? [] : [...grounds(around(element)), getComputedStyle(element).backgroundColor];
      const around = (element: Element) => {
        const root = element.getRootNode();
        return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
      };
      const opacity = (element: Element | null): number =>
        element === null ? 1 : Number(getComputedStyle(element).opacity) * opacity(element.parentElement);
      return [...document.querySelectorAll(wanted)]
        .filter((element) => element.checkVisibility() && opacity(element) > 0)
        .map((shown) => {
          const element = (property === 'placeholder' && shown.shadowRoot?.querySelector('input')) || shown;
          const isText = property === 'color' || property === 'placeholder';
          const behind = grounds(isText ? element : element.parentElement);
          const style = getComputedStyle(element, property === 'placeholder' ? '::placeholder' : null);
          const ground = paint(behind);
          const inked = paint([...behind, style[isText ? 'color' : (property as 'fill')]]);
          const share = opacity(element) * (property === 'placeholder' ? Number(style.opacity) : 1);
          const seen = inked.map((value, at) => value * share + (ground[at] ?? 0) * (1 - share));
          const [light = 0, dark = 0] = [luminance(seen), luminance(ground)].sort((a, b) => b - a);
          const what = `${element.localName}.${element.getAttribute('class') ?? ''}`;
          return { what, contrast: (light + 0.05) / (dark + 0.05) };
        });
    },
    [selector, ink] as const,
  );

/** Those that are harder to see than `least`, in words. */
export async function listPale(page: Page, selector: string, ink: Ink, least: number): Promise<string[]> {
  const measured = await measure(page, selector, ink);
  if (measured.length === 0) return [`${selector}: nothing is drawn`];
  return measured
    .filter(({ contrast }) => contrast < least)
    .map(({ what, contrast }) => `${what} (${ink}): ${contrast.toFixed(2)}`);
}
