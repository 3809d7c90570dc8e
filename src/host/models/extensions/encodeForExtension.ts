/**
 * Converts lowered messages for models of other extensions in VS Code. There is no system role: the header goes first
 * as a labelled user message. Each message's form depends only on itself and earlier ones, so that an earlier request
 * stays a prefix of a later one.
 */

import type * as vscode from 'vscode';
import { wrap } from '../../../core/context/frames.ts';
import { parseObject } from '../../../core/json.ts';
import type { ChatMessage, ContentPart, ModelRequest } from '../../../core/model/modelClient.ts';
import { encodeName, NOTHING, SentIds, textOfPart } from '../../../providers/encodeParts.ts';
import type { LanguageModels } from './extensionModel.ts';

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
        const part = new Text(message.text.toWellFormed() || NOTHING);
        const shown = encodeParts(message.parts ?? [], api, takesImages);
        results.push(new api.LanguageModelToolResultPart(id, [part, ...shown]));
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
