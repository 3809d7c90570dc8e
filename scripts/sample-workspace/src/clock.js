/** The real time. */
export const systemClock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** A time that stands still until it is moved, and remembers every sleep asked of it. */
export class TestClock {
  #now = 0;
  sleeps = [];

  now() {
    return this.#now;
  }

  async sleep(ms) {
    this.sleeps.push(ms);
    this.#now += ms;
  }
}
