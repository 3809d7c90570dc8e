/** A part of the panel in a script of its own, which is loaded when it is first needed. */
export class LazyScript<T> {
  readonly #import: () => Promise<T>;
  readonly #without: string;
  #loaded: T | null = null;
  #loading: Promise<void> | undefined;

  /** `without`: what the log says if it cannot be loaded. */
  constructor(load: () => Promise<T>, without: string) {
    this.#import = load;
    this.#without = without;
  }

  /** Runs now, or later when the script is there; never if it cannot be loaded. */
  use(run: (script: T, later: boolean) => void): void {
    if (this.#loaded) {
      run(this.#loaded, false);
      return;
    }
    this.#loading ??= this.#import().then((loaded) => {
      this.#loaded = loaded;
    });
    this.#loading.then(
      () => {
        if (this.#loaded) run(this.#loaded, true);
      },
      (error) => console.warn(this.#without, error),
    );
  }
}
