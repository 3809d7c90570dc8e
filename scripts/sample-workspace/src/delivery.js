import { retry } from './retry.js';

/** Delivers everything in the queue with `send`. Returns how many went out and how many were given up. */
export async function deliverAll(queue, send, { clock, limit = 5 }) {
  let delivered = 0;
  const abandoned = [];
  for (let message = queue.take(); message !== null; message = queue.take()) {
    try {
      await retry(() => send(message.body), { limit, clock });
      delivered += 1;
    } catch (error) {
      abandoned.push({ id: message.id, reason: error.message });
    }
    queue.settle(message.id);
  }
  return { delivered, abandoned };
}
