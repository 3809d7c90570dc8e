/**
 * Keeps an element that scrolls at its end while text comes in, unless the reader has scrolled up in it:
 * `<pre ${followEnd()}>${text}</pre>`.
 */

import { noChange } from 'lit';
import { Directive, directive, type ElementPart } from 'lit/directive.js';

/** Pixels from the end that still count as being there. */
const END = 16;

class FollowEnd extends Directive {
  render(): unknown {
    return noChange;
  }

  /** Runs before the text inside is set. */
  override update({ element }: ElementPart): unknown {
    if (element.scrollHeight - element.scrollTop - element.clientHeight > END) return noChange;
    queueMicrotask(() => {
      element.scrollTop = element.scrollHeight;
    });
    return noChange;
  }
}

export const followEnd = directive(FollowEnd);
