/** A model that another extension offers: its remembered facts, and its full name: `VENDOR/ID@vscode`. */

import type * as vscode from 'vscode';
import type { LanguageModelChat } from 'vscode';
import * as z from 'zod';

const SUFFIX = '@vscode';
const LONGEST_NAME = 200;

const modelSchema = z.object({
  vendor: z.string().min(1),
  id: z.string().min(1),
  /** For people. */
  label: z.string(),
  /** In tokens; 0 when the extension reports none. */
  window: z.number().int().min(0),
  /** It accepts images. */
  images: z.boolean().optional(),
});

export type ExtensionModel = z.infer<typeof modelSchema>;

/** Together the model's name in VS Code. A vendor contains no slash. */
export type ModelKey = Pick<ExtensionModel, 'vendor' | 'id'>;

/** The name in requests and usage. */
export const nameOf = ({ vendor, id }: ModelKey): string => `${vendor}/${id}`;

export const referToExtension = (model: ModelKey): string => nameOf(model) + SUFFIX;

export function readName(name: string): ModelKey | null {
  const slash = name.indexOf('/');
  if (slash < 1 || slash === name.length - 1) return null;
  return { vendor: name.slice(0, slash), id: name.slice(slash + 1) };
}

/** Null for the model of an endpoint, and for the demo. */
export function readReference(reference: string): ModelKey | null {
  return reference.endsWith(SUFFIX) ? readName(reference.slice(0, -SUFFIX.length)) : null;
}

/** The facts to remember about a model. The texts are foreign. */
export function describeModel(model: LanguageModelChat): ExtensionModel {
  const { vendor, id, name, maxInputTokens } = model;
  const label = name.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NAME);
  const window = Number.isSafeInteger(maxInputTokens) && maxInputTokens > 0 ? maxInputTokens : 0;
  const images = capabilitiesOf(model).supportsImageToText === true;
  return { vendor, id, label: label || id, window, ...(images ? { images } : {}) };
}

/** The readable part of the remembered models. */
export function readModels(stored: unknown): readonly ExtensionModel[] | null {
  return z.array(modelSchema).safeParse(stored).data ?? null;
}

/** VS Code's API for models of other extensions, as a port that tests replace. */
export type LanguageModels = Pick<typeof vscode.lm, 'selectChatModels' | 'onDidChangeChatModels'> &
  Pick<
    typeof vscode,
    | 'CancellationTokenSource'
    | 'LanguageModelChatMessage'
    | 'LanguageModelDataPart'
    | 'LanguageModelTextPart'
    | 'LanguageModelToolCallPart'
    | 'LanguageModelToolResultPart'
  >;

/** Not in the stable types, but in every editor since 1.104: the capabilities of a model. */
interface Capabilities {
  readonly supportsToolCalling?: boolean;
  readonly supportsImageToText?: boolean;
}

export function capabilitiesOf(model: vscode.LanguageModelChat): Capabilities {
  const { capabilities } = model as vscode.LanguageModelChat & { readonly capabilities?: Capabilities };
  return capabilities ?? {};
}
