/**
 * Lowered messages as VS Code takes them for models of other extensions. There is no system role: the header goes first as
 * a user message that says what it is. Each message's form depends only on itself and those before it, so that an earlier
 * request stays a prefix of a later one.
 */

import type * as vscode from 'vscode';
import { wrap } from '../../../core/context/frame.ts';
import { parseObject } from '../../../core/json.ts';
import type { ChatMessage, ContentPart, ModelRequest } from '../../../core/ports.ts';
import { encodeId, encodeName, textOfPart } from '../../../providers/openai/encodeRequest.ts';
import type { LanguageModels } from './languageModels.ts';

const PREFACE = 'These are your instructions. No person wrote them in this conversation, and they hold for all of it.';
/** Some providers refuse an empty text. */
const NOTHING = '[empty]';
const NO_IMAGE = '[An image was left out here, because this model takes none.]';

export function encodeForExtension(
  messages: readonly ChatMessage[],
  api: LanguageModels,
  takesImages: boolean,
): vscode.LanguageModelChatMessage[] {
  const { LanguageModelChatMessage: Message, LanguageModelTextPart: Text } = api;
  const encoded: vscode.LanguageModelChatMessage[] = [];
  const used = new Set<string>();
  /** Original id to the id that was sent, for the calls of the newest answer. */
  let open = new Map<string, string>();
  let results: vscode.LanguageModelToolResultPart[] = [];
  // The results of one answer's calls go back together, as providers want them.
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
        open = new Map();
        const calls = toolCalls.map((call) => {
          const id = encodeId(call.id, 'word', used);
          used.add(id);
          open.set(call.id, id);
          return new api.LanguageModelToolCallPart(id, encodeName(call.name), readArguments(call.arguments));
        });
        encoded.push(Message.Assistant([...(text ? [new Text(text.toWellFormed())] : []), ...calls]));
        break;
      }
      case 'tool': {
        const id = open.get(message.toolCallId) ?? message.toolCallId;
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

/** Calls go as objects there, so malformed arguments are wrapped, not guessed at. */
function readArguments(text: string): object {
  return parseObject(text) ?? { malformed_arguments: text.toWellFormed() };
}
