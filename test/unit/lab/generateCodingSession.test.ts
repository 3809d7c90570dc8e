import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generateFolder } from '../../../scripts/lab/recordedFolder.ts';
import { listSessions, loadSession } from '../../../src/cli/sessionFiles.ts';
import { findBreach } from '../../../src/lab/findBreach.ts';
import { generateCodingSession } from '../../../src/lab/generateCodingSession.ts';
import { prepareSession } from '../../../src/lab/prepareSession.ts';
import { session } from '../../support/sessions/labSession.ts';

describe('a generated coding session', () => {
  const messages = generateCodingSession({ seed: 3, messages: 400 });

  it('is the same for the same seed, and another for another', () => {
    expect(generateCodingSession({ seed: 3, messages: 400 })).toEqual(messages);
    expect(generateCodingSession({ seed: 4, messages: 400 })).not.toEqual(messages);
  });

  it('is as long as asked for, begins with the system prompt, and pairs every call with its result', () => {
    expect(messages.length).toBeGreaterThanOrEqual(400);
    expect(messages.slice(0, 2).map(({ role }) => role)).toEqual(['system', 'user']);
    expect(findBreach(messages)).toBe(null);
  });

  it('needs again what it saw long ago: paths, identifiers and lines, and some that only tools said', () => {
    const { steps, table } = prepareSession(session(...messages));
    const longRange = steps.flatMap((step) => step.longRange);
    for (const kind of ['path', 'identifier', 'line']) {
      expect(longRange.filter((id) => table.kind(id) === kind).length).toBeGreaterThan(5);
    }
    expect(steps.reduce((sum, step) => sum + step.toolOnly.size, 0)).toBeGreaterThan(5);
    expect(steps.at(-1)?.edited.length).toBeGreaterThan(0);
  });

  it('stands in where there is no folder of recorded ones', async () => {
    const folder = generateFolder();
    const { sessions: sources } = await listSessions([folder], new AbortController().signal);
    expect(sources.map(({ name }) => name)).toEqual(Array.from({ length: 8 }, (_, i) => `generated-${i + 1}`));
    const [first] = sources;
    expect(first && (await loadSession(first)).messages).toEqual(generateCodingSession({ seed: 1, messages: 400 }));
    rmSync(folder, { recursive: true });
  });
});
