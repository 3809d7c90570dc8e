/**
 * Collects the texts of the manifest while its parts are made. English stands beside what it describes; Chinese is found
 * by the English text in the one list of translations, and a text without a translation is an error.
 */

export class ManifestWords {
  readonly #texts = new Map<string, string>();

  /** Registers a text and returns the reference that stands in `package.json`, such as `%command.stop%`. */
  readonly say = (key: string, english: string): string => {
    const known = this.#texts.get(key);
    if (known !== undefined && known !== english) throw new Error(`The manifest has two texts for ${key}.`);
    this.#texts.set(key, english);
    return `%${key}%`;
  };

  /** Content of `package.nls.json`. */
  get english(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#texts);
  }

  /** Content of another language's file. `translations` is keyed by the English text. */
  translate(translations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const missing = [...new Set(this.#texts.values())].filter((text) => !translations[text]);
    if (missing.length) throw new Error(`l10n/bundle.l10n.zh-cn.json has no translation of:\n${missing.join('\n')}`);
    return Object.fromEntries([...this.#texts].map(([key, text]) => [key, translations[text] ?? '']));
  }
}
