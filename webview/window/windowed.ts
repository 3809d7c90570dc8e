/** Puts a windowed list into a template: `<div ${windowed(window, shown)}></div>`. The window draws into the element. */

import { noChange } from 'lit';
import { Directive, directive, type ElementPart } from 'lit/directive.js';
import type { RowWindow, ShownList } from './rowWindow.ts';

class Windowed extends Directive {
  render(_window: RowWindow, _shown: ShownList): unknown {
    return noChange;
  }

  override update(part: ElementPart, [window, shown]: [RowWindow, ShownList]): unknown {
    if (part.element instanceof HTMLElement) window.show(part.element, shown);
    return noChange;
  }
}

export const windowed = directive(Windowed);
