/** A page whose script has ended on screen is loaded again, once; one that the editor loads or hides is left alone. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Revival } from '../../../../src/node/panel/revival.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function pageThat(page: { visible: boolean }) {
  let loads = 0;
  const load = () => void loads++;
  const revival = new Revival(load, () => page.visible, Date.now);
  return { revival, loads: () => loads };
}

const pass = () => vi.advanceTimersByTime(1_000);

test('a page that ends on screen is loaded again within a second, however often it says so', () => {
  const { revival, loads } = pageThat({ visible: true });
  revival.ready();
  revival.gone();
  revival.gone();
  pass();
  // The page that is on its way is taken away too, where the editor loads one as well.
  revival.gone();
  pass();
  expect(loads()).toBe(1);
  revival.ready();
  revival.gone();
  pass();
  expect(loads()).toBe(2);
});

test('a page that the editor loads itself, hides or takes away is left alone', () => {
  const page = { visible: true };
  const { revival, loads } = pageThat(page);
  revival.gone();
  revival.ready();
  pass();
  page.visible = false;
  revival.gone();
  pass();
  page.visible = true;
  revival.gone();
  revival.dispose();
  pass();
  expect(loads()).toBe(0);
});

test('a page that ends again and again is given up, and tried again a minute later', () => {
  const { revival, loads } = pageThat({ visible: true });
  const end = () => {
    revival.ready();
    revival.gone();
    pass();
  };
  for (let n = 0; n < 9; n++) end();
  expect(loads()).toBe(3);
  vi.advanceTimersByTime(60_000);
  end();
  expect(loads()).toBe(4);
});
