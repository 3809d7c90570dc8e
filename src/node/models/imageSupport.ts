/**
 * Models that the person said take images, where neither the endpoint nor a table tells. Invariant: a refusal that names
 * images takes it back, so that the session goes on with the names of its images.
 */

import { ModelError, messageOf } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { ModelChoice } from '../../core/model/modelChoice.ts';
import type { ModelClient } from '../../core/model/modelClient.ts';
import type { WindowMemory } from '../../core/tokens/learnedWindows.ts';

const MOST = 200;

const keyOf = ({ client, model }: Pick<ModelChoice, 'client' | 'model'>) => `${client.endpoint} ${model}`;

export class ImageSupport {
  readonly #memory: WindowMemory;
  /** Said for this window only. */
  readonly #here = new Set<string>();

  constructor(memory: WindowMemory) {
    this.#memory = memory;
  }

  /** `lasting`: in every window from now on, otherwise in this one. */
  record(choice: ModelChoice, lasting: boolean): void {
    const key = keyOf(choice);
    if (!lasting) this.#here.add(key);
    else this.#memory.write(Object.fromEntries([...this.#stored(), key].slice(-MOST).map((each) => [each, true])));
  }

  /** The model as the person knows it. */
  known(choice: ModelChoice): ModelChoice {
    if (choice.images !== undefined) return choice;
    const key = keyOf(choice);
    if (!this.#here.has(key) && !this.#stored().includes(key)) return choice;
    return { ...choice, images: true, client: this.#watch(choice.client, () => this.#forget(key)) };
  }

  #forget(key: string): void {
    this.#here.delete(key);
    const stored = this.#stored().filter((each) => each !== key);
    this.#memory.write(Object.fromEntries(stored.map((each) => [each, true])));
  }

  #watch(client: ModelClient, onRefused: () => void): ModelClient {
    const { endpoint, count } = client;
    return {
      endpoint,
      ...(count && { count }),
      async *stream(...asked) {
        try {
          yield* client.stream(...asked);
        } catch (thrown) {
          if (thrown instanceof ModelError && NAMES_IMAGES.test(messageOf(thrown))) onRefused();
          throw thrown;
        }
      },
    };
  }

  #stored(): string[] {
    const value = this.#memory.read();
    return isObject(value) ? Object.keys(value) : [];
  }
}

const NAMES_IMAGES = /image|\bvision\b|multi-?modal/i;
