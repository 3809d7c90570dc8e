/**
 * Keeps a scrolling element at its end while text is added, unless the reader has scrolled up in it:
 * `<pre ${followEnd()}>${text}</pre>`.
 */

import { noChange } from 'lit';
import { Directive, directive, type ElementPart } from 'lit/directive.js';

/** Distance in pixels that still counts as the end. */
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
