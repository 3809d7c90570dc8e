/**
 * One answer of another extension's model, assembled from its parts. VS Code reports no finish reason and no usage: an
 * answer has ended when its stream has, and its usage is estimated.
 */

import type * as vscode from 'vscode';
import { wrap } from '../../../core/context/frames.ts';
import { asText, listOf, parseObject } from '../../../core/json.ts';
import type { ChatMessage, ContentPart, ModelEvent, ModelRequest } from '../../../core/model/modelClient.ts';
import { words } from '../../../core/words.ts';
import { encodeName, NOTHING, SentIds, textOfPart } from '../../../providers/encodeParts.ts';
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
    if (part instanceof LanguageModelTextPart) return this.#say(part.value);
    if (part instanceof LanguageModelToolCallPart) {
      const { callId: id, name, input } = part;
      const made = { name, arguments: JSON.stringify(input ?? {}) };
      const progress = this.#calls.add({ index: this.#index++, id, function: made });
      return progress ? [{ type: 'toolCall', ...progress }] : [];
    }
    if (part instanceof LanguageModelDataPart) {
      // Other data is internal to extensions: markers, caches, usage in their own formats.
      if (part.mimeType.startsWith('text/')) return this.#say(new TextDecoder().decode(part.data));
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

  #say(delta: string): readonly ModelEvent[] {
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

/**
 * Converts lowered messages for models of other extensions in VS Code. There is no system role: the header goes first
 * as a labelled user message. Each message's form depends only on itself and earlier ones, so that an earlier request
 * stays a prefix of a later one.
 */
const PREFACE = 'These are your instructions. No person wrote them in this conversation, and they hold for all of it.';

const NO_IMAGE = '[An image was left out here, because this model takes none.]';

export function encodeForExtension(
  messages: readonly ChatMessage[],
  api: LanguageModels,
  takesImages: boolean,
): vscode.LanguageModelChatMessage[] {
  const { LanguageModelChatMessage: Message, LanguageModelTextPart: Text } = api;
  const encoded: vscode.LanguageModelChatMessage[] = [];
  const ids = new SentIds('word');
  let results: vscode.LanguageModelToolResultPart[] = [];
  // The results of one answer's calls are returned together, as providers require.
  const close = () => {
    if (results.length > 0) encoded.push(Message.User(results));
    results = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') close();
    switch (message.role) {
      case 'system':
        encoded.push(Message.User(wrap('instructions', `${PREFACE}\n\n${message.text.toWellFormed()}`)));
        break;
      case 'user':
        encoded.push(Message.User(encodeUser(message.text, message.parts ?? [], api, takesImages)));
        break;
      case 'assistant': {
        const { text, toolCalls = [] } = message;
        if (!text && toolCalls.length === 0) break;
        ids.open(toolCalls);
        const calls = toolCalls.map(({ id, name, arguments: given }) => {
          return new api.LanguageModelToolCallPart(ids.of(id), encodeName(name), readArguments(given));
        });
        encoded.push(Message.Assistant([...(text ? [new Text(text.toWellFormed())] : []), ...calls]));
        break;
      }
      case 'tool': {
        const id = ids.of(message.toolCallId);
        const said = new Text(message.text.toWellFormed() || NOTHING);
        const shown = encodeParts(message.parts ?? [], api, takesImages);
        results.push(new api.LanguageModelToolResultPart(id, [said, ...shown]));
      }
    }
  }
  close();
  return encoded;
}

export function encodeTools(tools: ModelRequest['tools']): vscode.LanguageModelChatTool[] {
  return tools.map(({ name, description, parameters }) => ({
    name: encodeName(name),
    description,
    inputSchema: parameters,
  }));
}

function encodeUser(text: string, parts: readonly ContentPart[], api: LanguageModels, takesImages: boolean) {
  return [new api.LanguageModelTextPart(text.toWellFormed() || NOTHING), ...encodeParts(parts, api, takesImages)];
}

function encodeParts(parts: readonly ContentPart[], api: LanguageModels, takesImages: boolean) {
  const { LanguageModelTextPart: Text, LanguageModelDataPart: Data } = api;
  return parts.map((part) => {
    if (part.type !== 'image') return new Text(textOfPart(part));
    if (!takesImages) return new Text(NO_IMAGE);
    return Data.image(Buffer.from(part.base64, 'base64'), part.mime);
  });
}

/** Calls are passed as objects there, so malformed arguments are wrapped, not guessed at. */
function readArguments(text: string): object {
  return parseObject(text) ?? { malformed_arguments: text.toWellFormed() };
}
