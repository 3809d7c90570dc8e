import { describe, expect, it } from 'vitest';
import { COURSE_STYLE } from '../../../src/core/compaction/strategies/summaryPrompts.ts';
import { ModelError } from '../../../src/core/errors.ts';
import type { ModelRequest } from '../../../src/core/model/modelClient.ts';
import { LabModel, type SummarySource, writeScriptedSummary } from '../../../src/lab/live/labModel.ts';
import type { RecordedSession } from '../../../src/lab/session.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { says, session, user } from '../../support/sessions/labSession.ts';

const RECORDED: RecordedSession = {
  ...session(user('Go.'), says('Done.')),
  compactions: [{ after: 2, summary: 'What really was noted.' }],
};
const REQUEST: ModelRequest = {
  model: 'any',
  messages: [{ role: 'user', text: 'x'.repeat(400) }],
  tools: [],
  maxOutputTokens: 50,
};

async function ask(model: LabModel, request = REQUEST): Promise<string> {
  let answer = '';
  for await (const event of model.choice.client.stream(request, new AbortController().signal)) {
    if (event.type === 'done') answer = event.text;
  }
  return answer;
}

const modelOf = (source: SummarySource) => new LabModel(RECORDED, source, 64_000, { now: () => 0 });

describe("the lab's model", () => {
  it('refuses when there is none, and charges nothing', async () => {
    const model = modelOf({ kind: 'none' });
    await expect(ask(model)).rejects.toThrow(ModelError);
    expect([model.use, model.takeCharge()]).toEqual([{ name: 'none', answered: 0, refused: 1 }, undefined]);
  });

  it('gives the recorded summary at its place, charged in tokens of the lab', async () => {
    const model = modelOf({ kind: 'recorded' });
    await expect(ask(model)).rejects.toThrow(ModelError);
    model.place = 2;
    expect(await ask(model)).toBe('What really was noted.');
    expect(model.takeCharge()).toEqual({ input: 100, output: 6 });
    expect(model.takeCharge()).toBe(undefined);
    expect(model.use).toEqual({ name: 'recorded', answered: 1, refused: 1 });
  });

  it('asks a live model and charges what it reports', async () => {
    const client = new ScriptedModel([
      { text: 'Notes.', usage: { input: 321, cached: 0, output: 7, reasoning: 0 } },
      { text: 'Notes.', usage: null },
    ]);
    const model = modelOf({ kind: 'live', choice: { client, model: 'small', window: 8000 } });
    expect([model.choice.model, model.choice.window]).toEqual(['small', 8000]);
    expect(await ask(model)).toBe('Notes.');
    expect(model.takeCharge()).toEqual({ input: 321, output: 7 });
    await ask(model);
    expect(model.takeCharge()).toEqual({ input: 100, output: 2 });
  });

  it('is charged little for what a summary goes on from, and writes no more words than it is asked for', async () => {
    const model = modelOf({ kind: 'scripted' });
    model.sent = 8_090;
    const task = { role: 'user', text: 'Write notes. Be brief: at most 10 words.' } as const;
    const text = await ask(model, { ...REQUEST, messages: [...REQUEST.messages, task], toolChoice: 'none' });
    expect(text).toMatch(/^Made by rules, not by a model\./);
    // 110 tokens of text and the fixed part, of which the newest request held 8,090.
    expect(model.takeCharge()).toEqual({ input: 20, output: Math.ceil(text.length / 4), cached: 8_090 });
    expect(text.length).toBeLessThanOrEqual(60);
  });

  it.each([
    ['at most 10 words', 60],
    ['some 10 words are enough', 60],
    ['at most 1,000 words', 6_000],
    ['at most 1,000 characters', 1_000],
    [COURSE_STYLE.closing, 2_400],
  ])('writes no more when asked for "%s"', async (asked, most) => {
    const said = Array.from({ length: 1_000 }, (_, i) => `Error: parseLine${i} is not defined.`).join('\n');
    const messages = [
      { role: 'user', text: said },
      { role: 'user', text: `Write notes. ${asked}` },
    ] as const;
    const request = { ...REQUEST, messages, maxOutputTokens: 4_096, toolChoice: 'none' } as const;
    const { length } = await ask(modelOf({ kind: 'scripted' }), request);
    expect(length).toBeLessThanOrEqual(most);
    expect(length).toBeGreaterThan(most / 4);
  });

  it('writes by rules what a digest would take from the prompt, within the size asked for', () => {
    const prompt =
      'Summarise.\n[user]\nMake parseLine faster.\n\n[assistant]\nI read src/core/reader.ts.\n\n[error of ls]\nError: no such file';
    const text = writeScriptedSummary(prompt, 2000);
    expect(text).toContain('## What the user said\nMake parseLine faster.');
    expect(text).toContain('Error: no such file');
    expect(writeScriptedSummary(prompt, 60).length).toBeLessThanOrEqual(60);
  });
});
