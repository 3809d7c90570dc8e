/** What the panel says while an edit waits for the editor's extensions. */

import { expect, test } from 'vitest';
import { Activity, sayingChecks } from '../../../src/node/session/activity.ts';
import { createMemoryLanguage } from '../../support/ports/memoryLanguage.ts';

test('an edit that waits for reports on its problems says so, and no longer when it is made or fails', async () => {
  const said: string[] = [];
  const activity: Activity = new Activity(() => said.push(activity.text));
  const show = (text: string) => activity.show(text);
  const language = sayingChecks(createMemoryLanguage(), show, 'Checking problems…');
  const { signal } = new AbortController();
  await language.problemsAround('a.ts', async () => void said.push('written'), signal);
  const fails = language.problemsAround('a.ts', () => Promise.reject(new Error('disk full')), signal);
  await expect(fails).rejects.toThrow('disk full');
  expect(said).toEqual(['Checking problems…', 'written', '', 'Checking problems…', '']);
  await language.problems('a.ts', signal);
  expect(said).toHaveLength(5);
});
