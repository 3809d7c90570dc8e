/** What the person says about a model's images, and a server that knows better. */

import { expect, test } from 'vitest';
import { ModelError } from '../../../../src/core/errors.ts';
import type { ModelChoice } from '../../../../src/core/model/modelChoice.ts';
import type { ModelEvent } from '../../../../src/core/model/modelClient.ts';
import { ImageSupport } from '../../../../src/node/models/imageSupport.ts';

function choiceThat(fails: ModelError | null, images?: boolean): ModelChoice {
  const client = {
    endpoint: 'https://models.example',
    async *stream(): AsyncGenerator<ModelEvent> {
      if (fails) throw fails;
      yield* [];
    },
  };
  return { client, model: 'any', window: 0, ...(images !== undefined && { images }) };
}

function memory() {
  let kept: unknown;
  return {
    read: () => kept,
    write: (value: unknown) => {
      kept = JSON.parse(JSON.stringify(value));
    },
  };
}

async function askOnce({ client }: ModelChoice): Promise<unknown> {
  try {
    for await (const _ of client.stream({} as never, new AbortController().signal));
    return null;
  } catch (thrown) {
    return thrown;
  }
}

test('what is said for good is known in the next window, and what is said for now only here', () => {
  const kept = memory();
  const said = new ImageSupport(kept);
  const choice = choiceThat(null);
  expect(said.known(choice).images).toBeUndefined();
  said.record(choice, false);
  expect(said.known(choice).images).toBe(true);
  expect(new ImageSupport(kept).known(choice).images).toBeUndefined();
  said.record(choice, true);
  expect(new ImageSupport(kept).known(choice).images).toBe(true);
  expect(new ImageSupport(kept).known({ ...choice, model: 'other' }).images).toBeUndefined();
});

test('what the endpoint or the settings say counts more', () => {
  const said = new ImageSupport(memory());
  said.record(choiceThat(null), true);
  expect(said.known(choiceThat(null, false)).images).toBe(false);
});

test.each([
  ['this model does not support image input', undefined],
  ['a tool has a wrong name', true],
])('after the refusal "%s" it is known to take images: %s', async (reason, images) => {
  const refusal = new ModelError('badRequest', reason);
  const said = new ImageSupport(memory());
  const choice = choiceThat(refusal);
  said.record(choice, true);
  expect(await askOnce(said.known(choice))).toBe(refusal);
  expect(said.known(choice).images).toBe(images);
});
