/**
 * The settings that a strategy's file declares, as fields on a page that tries it: a typed value holds for the next try
 * only, until the person keeps it.
 */

import type { Translate } from '../../core/words.ts';
import type { PageBlock } from '../../protocol/pages.ts';
import { type Contender, listLabStrategies, readContender } from '../lab/contenders.ts';
import { toFields } from '../lab/describeLab.ts';
import { ACT } from '../lab/labFields.ts';
import { section } from '../pages/blocks.ts';
import type { PageActions } from '../pages/pages.ts';
import type { Parts } from '../parts.ts';
import { writeFileSettings } from '../settings.ts';

const KEEP = 'keep settings';

export class TriedSettings {
  readonly #parts: Pick<Parts, 'registry' | 'contributed'>;
  readonly id: string;
  #typed: Contender['typed'] = {};

  /** `id`: of the strategy. */
  constructor(parts: Pick<Parts, 'registry' | 'contributed'>, id: string) {
    this.#parts = parts;
    this.id = id;
  }

  /** Values that differ from the person's, by name. */
  get values(): Readonly<Record<string, unknown>> {
    const contender = this.#contender;
    if (!contender) return {};
    return Object.fromEntries([...readContender(contender).changed].map(([{ name }, value]) => [name, value]));
  }

  /** False for fields that are not of these settings. */
  write(field: string, text: string): boolean {
    const contender = this.#contender;
    const found = contender?.strategy.fields.find(({ name }) => ACT.set(contender.key, name) === field);
    if (!found) return false;
    this.#typed = { ...this.#typed, [found.name]: text };
    return true;
  }

  /** Nothing for strategies that declare none. */
  describe(t: Translate): PageBlock[] {
    const contender = this.#contender;
    if (!contender) return [];
    const changed = readContender(contender).changed.size > 0;
    return [
      section(t('Settings of {0}', contender.strategy.label), [
        { kind: 'fields', label: t('Settings of {0}', contender.strategy.label), fields: toFields(contender, t) },
        { kind: 'actions', actions: [{ id: KEEP, label: t('Keep These Settings'), off: !changed }] },
      ]),
    ];
  }

  /** `then` is called when the settings are written. */
  actions(then: () => unknown): PageActions {
    return {
      [KEEP]: async () => {
        const changed = [...(this.#contender ? readContender(this.#contender).changed : [])];
        await writeFileSettings(Object.fromEntries(changed.map(([{ key }, value]) => [key, value])));
        this.#typed = {};
        await then();
      },
    };
  }

  get #contender(): Contender | null {
    const strategy = listLabStrategies(this.#parts).find(({ id, kind }) => id === this.id && kind === 'file');
    const fields = strategy?.fields.filter(({ place }) => place === 'own') ?? [];
    return strategy && fields.length > 0
      ? { key: 'tried', strategy: { ...strategy, fields }, typed: this.#typed }
      : null;
  }
}
