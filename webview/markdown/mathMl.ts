/** TeX to MathML. Loaded when first needed: it is half as large as the panel. */

import katex from 'katex';

/** Throws for a text that is no formula, or asks for too much. */
export function toMathMl(tex: string, display: boolean): string {
  return katex.renderToString(tex, {
    displayMode: display,
    output: 'mathml',
    throwOnError: true,
    strict: 'ignore',
    trust: false,
    maxExpand: 200,
    maxSize: 20,
  });
}
