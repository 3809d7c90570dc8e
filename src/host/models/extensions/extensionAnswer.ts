/**
 * One answer of another extension's model, assembled from its parts. VS Code reports no finish reason and no usage: an
 * answer has ended when its stream has, and its usage is estimated.
 */

import { asText, listOf } from '../../../core/json.ts';
import type { ModelEvent, ModelRequest } from '../../../core/model/modelClient.ts';
import { words } from '../../../core/words.ts';
import { MOST_CALLS, ToolCallAssembler } from '../../../providers/toolCallAssembler.ts';
import type { LanguageModels } from './extensionModel.ts';

type Done = Extract<ModelEvent, { type: 'done' }>;

/** The journal's field name for such a model's reasoning. */
const THINKING = 'thinking';

export class ExtensionAnswer {
  readonly #api: LanguageModels;
  readonly #calls;
  #text = '';
  #reasoning = '';
  #images = 0;
  #index = 0;

  constructor(request: ModelRequest, api: LanguageModels, mintId: () => string) {
    this.#api = api;
    this.#calls = new ToolCallAssembler(idsIn(request), mintId);
  }

  /** True when nothing usable arrived. */
  get empty(): boolean {
    return this.#text === '' && this.#reasoning === '' && this.#calls.characters === 0;
  }

  /** Length of everything so far. */
  get characters(): number {
    return this.#text.length + this.#reasoning.length + this.#calls.characters;
  }

  /** The visible text of a part. Parts of unknown kinds are ignored. */
  add(part: unknown): readonly ModelEvent[] {
    const { LanguageModelTextPart, LanguageModelToolCallPart, LanguageModelDataPart } = this.#api;
    if (part instanceof LanguageModelTextPart) return this.#addText(part.value);
    if (part instanceof LanguageModelToolCallPart) {
      const { callId: id, name, input } = part;
      const made = { name, arguments: JSON.stringify(input ?? {}) };
      const progress = this.#calls.add({ index: this.#index++, id, function: made });
      return progress ? [{ type: 'toolCall', ...progress }] : [];
    }
    if (part instanceof LanguageModelDataPart) {
      // Other data is internal to extensions: markers, caches, usage in their own formats.
      if (part.mimeType.startsWith('text/')) return this.#addText(new TextDecoder().decode(part.data));
      if (part.mimeType.startsWith('image/')) this.#images++;
      return [];
    }
    return this.#think(thoughtIn(part));
  }

  /** `cut`: the model's output limit ended the answer, so its calls must not run. */
  finish(cut: boolean): Done {
    const made = this.#calls.finish();
    const toolCalls = cut ? [] : made;
    return {
      type: 'done',
      text: this.#text,
      ...(this.#reasoning ? { reasoning: { field: THINKING, text: this.#reasoning } } : {}),
      toolCalls,
      ...(cut && made.length > 0 ? { discarded: made.map(({ name }) => name) } : {}),
      finish: cut ? 'length' : toolCalls.length > 0 ? 'toolCalls' : 'stop',
      ...this.#notice(),
      usage: null,
    };
  }

  #addText(delta: string): readonly ModelEvent[] {
    this.#text += delta;
    return delta ? [{ type: 'text', delta }] : [];
  }

  #think(delta: string): readonly ModelEvent[] {
    this.#reasoning += delta;
    return delta ? [{ type: 'reasoning', delta, field: THINKING }] : [];
  }

  #notice(): Pick<Done, 'notice'> {
    const { leftOut } = this.#calls;
    if (leftOut > 0) {
      return {
        notice: words(
          'The answer had {0} tool calls. Only the first {1} are run; the others were left out.',
          MOST_CALLS + leftOut,
          MOST_CALLS,
        ),
      };
    }
    if (this.#images === 0) return {};
    return { notice: words('Images in the answer, which are not shown here: {0}.', this.#images) };
  }
}

/** Thinking is not a stable kind of part yet: its value is a text, or several. */
function thoughtIn(part: unknown): string {
  if (typeof part !== 'object' || part === null || !('value' in part)) return '';
  return asText(part.value) || listOf(part.value).map(asText).join('');
}

function idsIn(request: ModelRequest): string[] {
  return request.messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.id) : [],
  );
}
