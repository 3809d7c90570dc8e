/**
 * Formulas as MathML, which the page draws by itself. The library is loaded with the first formula. A formula that it
 * cannot read stays as it was written.
 */

import DOMPurify from 'dompurify';
import { REDRAWN } from './codeText.ts';

let toMathMl: ((tex: string, display: boolean) => string) | null = null;
let loading: Promise<void> | undefined;

/** Replaces the element's text, now or as soon as the library is there. */
export function drawFormula(element: HTMLElement): void {
  if (toMathMl) {
    draw(element, toMathMl);
    return;
  }
  // Named as it lies beside the panel's script.
  loading ??= import('./mathMl.js').then((loaded) => {
    toMathMl = loaded.toMathMl;
  });
  loading.then(
    () => {
      if (!toMathMl) return;
      draw(element, toMathMl);
      element.dispatchEvent(new CustomEvent(REDRAWN, { bubbles: true }));
    },
    (error) => console.warn('Palimpsest: formulas are shown as they were written.', error),
  );
}

function draw(element: HTMLElement, convert: NonNullable<typeof toMathMl>): void {
  const tex = element.textContent ?? '';
  try {
    const math = DOMPurify.sanitize(convert(tex, element.classList.contains('display')), {
      USE_PROFILES: { mathMl: true },
      FORBID_CONTENTS: ['annotation'],
      FORBID_ATTR: ['style', 'href'],
      RETURN_DOM_FRAGMENT: true,
    });
    if (!math.querySelector('math')) return;
    element.title = tex;
    element.replaceChildren(math);
    element.classList.add('drawn');
  } catch {
    // It stays as it was written.
  }
}
