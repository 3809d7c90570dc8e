import { expect, test } from 'vitest';
import { isComposing } from '../../../webview/page/composing.ts';

test.each([
  ['while it composes', { isComposing: true, keyCode: 13 }, true],
  ['with the key that ends it, in browsers that end it first', { isComposing: false, keyCode: 229 }, true],
  ['never otherwise', { isComposing: false, keyCode: 13 }, false],
])('an input method has the key %s', (_, event, expected) => {
  expect(isComposing(event as KeyboardEvent)).toBe(expected);
});
