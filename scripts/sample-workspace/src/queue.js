/** First in, first out. A message that is taken stays the queue's until it is settled. */
export class Queue {
  #waiting = [];
  #taken = new Map();
  #nextId = 1;

  add(body) {
    const message = { id: this.#nextId++, body, attempts: 0 };
    this.#waiting.push(message);
    return message.id;
  }

  /** The oldest waiting message, or null. */
  take() {
    const message = this.#waiting.shift();
    if (message === undefined) return null;
    message.attempts += 1;
    this.#taken.set(message.id, message);
    return message;
  }

  /** The message was delivered and is forgotten. */
  settle(id) {
    if (!this.#taken.delete(id)) throw new Error(`message ${id} was not taken`);
  }

  /** The message goes back to the end of the line. */
  giveBack(id) {
    const message = this.#taken.get(id);
    if (message === undefined) throw new Error(`message ${id} was not taken`);
    this.#taken.delete(id);
    this.#waiting.push(message);
  }

  get length() {
    return this.#waiting.length;
  }
}
