/**
 * The settings that a strategy's factory declares, in the words of a JSON schema. They are foreign: every part is checked
 * here, and each fault is named.
 */

import * as z from 'zod';
import { isObject } from '../../json.ts';
import { completeValues, describeIssue, type Setting, type Settings, setting } from '../../setting.ts';
import { type Words, words } from '../../words.ts';
import { GENERAL_PARAMETERS } from '../strategies/defineStrategy.ts';

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const MOST = 50;
const LONGEST_TEXT = 10_000;

export class DeclaredSettings {
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Those of a factory, or the fault in them. Each needs a default of its own. */
  static read(factory: unknown): DeclaredSettings | Words {
    const declared = isObject(factory) ? factory.settings : undefined;
    if (declared === undefined) return new DeclaredSettings({});
    if (!isObject(declared)) return words('its settings is no object of settings by name');
    const entries = Object.entries(declared);
    if (entries.length > MOST) return words('its settings has more than {0} settings', MOST);
    const read: Record<string, Setting> = {};
    for (const [name, property] of entries) {
      if (!NAME.test(name))
        return words(
          'the name of its setting {0} is not of letters, digits, hyphens and underscores',
          name.slice(0, 80),
        );
      if (Object.hasOwn(GENERAL_PARAMETERS, name))
        return words('its setting {0} has the name of one that every strategy has: choose another', name);
      const one = isObject(property) ? DeclaredSettings.readOne(property) : null;
      if (one === null || !isObject(property))
        return words('its setting {0} has none of the types boolean, integer, number and string', name);
      const { success, error, data } = one.schema.safeParse(property.default);
      if (!success)
        return [...words('its setting {0} has no usable default.', name), ...describeIssue(error.issues[0])];
      read[name] = { ...one, default: data };
    }
    return new DeclaredSettings(read);
  }

  /** For a factory that was read without a fault; without settings for another one. */
  static of(factory: unknown): DeclaredSettings {
    const read = DeclaredSettings.read(factory);
    return read instanceof DeclaredSettings ? read : new DeclaredSettings({});
  }

  /** Null for types that cannot be set. Also reads the declarations in an extension's manifest. */
  static readOne(property: Readonly<Record<string, unknown>>): Setting | null {
    const { type, minimum, maximum, enum: values, enumDescriptions } = property;
    const description = [property.description, property.markdownDescription].find((text) => typeof text === 'string');
    const text = String(description ?? '').slice(0, LONGEST_TEXT);
    if (Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string')) {
      const about = Array.isArray(enumDescriptions) ? enumDescriptions : [];
      const choices = Object.fromEntries(values.map((value, at) => [value, [value, String(about[at] ?? '')] as const]));
      return setting(z.enum(values) as z.ZodType<unknown>, values[0], text, { choices });
    }
    switch (type) {
      case 'boolean':
        return setting<unknown>(z.boolean(), false, text);
      case 'integer':
      case 'number': {
        let schema = type === 'integer' ? z.number().int() : z.number();
        if (typeof minimum === 'number') schema = schema.min(minimum);
        if (typeof maximum === 'number') schema = schema.max(maximum);
        return setting<unknown>(schema, 0, text);
      }
      case 'string':
        return setting<unknown>(z.string().max(LONGEST_TEXT), '', text);
      default:
        return null;
    }
  }

  /** The values of the port `settings`: declared ones that are missing or do not fit have their default. */
  complete(section: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return { ...section, ...completeValues(this.settings, section) };
  }

  /** Why a value does not fit the setting `name`; null for one that fits. */
  findFault(name: string, value: unknown): Words | null {
    const own = Object.hasOwn(this.settings, name) ? this.settings[name] : undefined;
    if (own) {
      const parsed = own.schema.safeParse(value);
      return parsed.success ? null : describeIssue(parsed.error.issues[0]);
    }
    const names = Object.keys(this.settings).join(', ');
    return names === ''
      ? words('The file declares no settings.')
      : words('The file declares no such setting. It declares these: {0}.', names);
  }
}
