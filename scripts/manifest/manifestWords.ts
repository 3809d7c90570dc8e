/**
 * Collects the texts of the manifest while its parts are made. English stands beside what it describes; Chinese is found
 * by the English sentence in the one list of translations, and a sentence without one stays English.
 */

type Translate = (english: string) => string;

export class ManifestWords {
  readonly #texts = new Map<string, (translate: Translate) => string>();

  /**
   * Registers a text and returns the reference that stands in `package.json`, such as `%command.stop%`. `compose` makes a
   * text of several sentences, each of them translated by itself.
   */
  readonly say = (
    key: string,
    english: string,
    compose: (translate: Translate) => string = (translate) => translate(english),
  ): string => {
    const known = this.#texts.get(key);
    if (known && known(inEnglish) !== compose(inEnglish)) throw new Error(`The manifest has two texts for ${key}.`);
    this.#texts.set(key, compose);
    return `%${key}%`;
  };

  /** Content of `package.nls.json`. */
  get english(): Readonly<Record<string, string>> {
    return this.#write(inEnglish);
  }

  /** Content of another language's file. `translations` is keyed by the English sentence. */
  translate(translations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return this.#write((sentence) => translations[sentence] ?? sentence);
  }

  /** The English sentences, each of which needs a translation. */
  get sentences(): ReadonlySet<string> {
    const found = new Set<string>();
    this.#write((sentence) => {
      found.add(sentence);
      return sentence;
    });
    return found;
  }

  #write(translate: Translate): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#texts].map(([key, compose]) => [key, compose(translate)]));
  }
}

const inEnglish: Translate = (sentence) => sentence;
