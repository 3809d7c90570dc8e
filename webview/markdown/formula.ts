/**
 * Formulas as MathML, which the page draws by itself. The library is loaded with the first formula. A formula that it
 * cannot read stays as it was written.
 */

import DOMPurify from 'dompurify';
import { REDRAWN } from './codeText.ts';
import { LazyScript } from './lazyScript.ts';

// Named as it lies beside the panel's script.
const mathMl = new LazyScript(() => import('./mathMl.js'), 'Palimpsest: formulas are shown as they were written.');

/** Replaces the element's text, now or as soon as the library is there. */
export function drawFormula(element: HTMLElement): void {
  mathMl.use(({ toMathMl }, later) => {
    draw(element, toMathMl);
    if (later) element.dispatchEvent(new CustomEvent(REDRAWN, { bubbles: true }));
  });
}

function draw(element: HTMLElement, convert: (tex: string, display: boolean) => string): void {
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
