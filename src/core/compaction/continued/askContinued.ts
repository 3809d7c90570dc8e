/**
 * Asks for a summary as the continuation of the last request. What goes wrong with that form alone (it does not fit, it is
 * refused, the model calls a tool once more or writes nothing) is no failure: the question is asked in its own form then.
 */

import { isAbort, ModelError } from '../../errors.ts';
import type { Log, ModelEvent, ModelRequest } from '../../ports.ts';
import type { Answer, ContinuedQuestion } from './continuation.ts';

/** A router may have no server for this form of a model that it has others for. */
const FORM_FAULTS: ReadonlySet<string> = new Set<ModelError['kind']>(['overflow', 'badRequest', 'notFound']);

type Done = Extract<ModelEvent, { type: 'done' }>;

interface Asking {
  /** Null where there is nothing to continue. */
  readonly make: (again: boolean) => Promise<ModelRequest | null>;
  /** Charged to the compaction. */
  readonly send: (request: ModelRequest) => Promise<Done>;
  /** Throws `ModelError` for an answer that is no summary. */
  readonly read: (done: Done) => Answer;
  /** Waits before the same request is sent again; throws what it is given when that is not worth it. */
  readonly again: (fault: ModelError) => Promise<void>;
  readonly log: Log;
}

/** Where tools are forbidden some servers give a call back as the text that the model wrote. */
const WRITTEN_CALL = /^\s*(<tool_call>|<function=|<\|(python_tag|tool_call)|\[TOOL_CALLS\]|functools\[)/;

export async function askContinued(
  { signal }: Pick<ContinuedQuestion, 'signal'>,
  { make, send, read, again, log }: Asking,
): Promise<Answer | null> {
  const giveUp = (why: string) => {
    log('info', `the summary is asked for in a request of its own: ${why}`);
    return null;
  };
  let called = false;
  for (;;) {
    signal.throwIfAborted();
    const request = await make(called);
    if (!request) return called ? giveUp('the model called tools') : null;
    let done: Done;
    try {
      done = await send(request);
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown) || !(thrown instanceof ModelError)) throw thrown;
      if (FORM_FAULTS.has(thrown.kind)) return giveUp(thrown.message);
      await again(thrown);
      continue;
    }
    if (done.toolCalls.length > 0 || WRITTEN_CALL.test(done.text)) {
      if (called) return giveUp('the model called tools');
      called = true;
      continue;
    }
    try {
      return read(done);
    } catch (thrown) {
      if (!(thrown instanceof ModelError)) throw thrown;
      return giveUp(thrown.message);
    }
  }
}
