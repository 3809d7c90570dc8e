/** The tools in VS Code. One that no visible extension declares, such as one of VS Code itself, is left out. */

import * as vscode from 'vscode';
import { asRecord, asText, isTooDeep, type Json, listOf, objectOf } from '../../core/json.ts';
import type { ToolSource } from './extensionTools.ts';

export const registeredTools: ToolSource = {
  list() {
    const declared = declaredTools();
    // Editors that are made from VS Code may lack it.
    const listed: readonly vscode.LanguageModelToolInformation[] = vscode.lm?.tools ?? [];
    return listed.flatMap(({ name, description, inputSchema }) => {
      const owners = declared.get(name) ?? [];
      if (owners.length === 0) return [];
      return [
        {
          extension: owners.map(({ id }) => id).join(' + '),
          extensionName: owners.map(nameOf).join(' + '),
          name,
          description: asText(description),
          schema: asRecord(inputSchema) ?? {},
        },
      ];
    });
  },
  async invoke(name, input, signal) {
    const cancellation = new vscode.CancellationTokenSource();
    const cancel = () => cancellation.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const options = { input, toolInvocationToken: undefined };
      const result = await vscode.lm.invokeTool(name, options, cancellation.token);
      return { content: listOf(result.content).map(readPart) };
    } finally {
      signal.removeEventListener('abort', cancel);
      cancellation.dispose();
    }
  },
};

/** The extensions that declare a tool, by its name. */
function declaredTools(): ReadonlyMap<string, readonly vscode.Extension<unknown>[]> {
  const owners = new Map<string, vscode.Extension<unknown>[]>();
  for (const extension of vscode.extensions.all) {
    for (const tool of listOf(objectOf(objectOf(extension.packageJSON).contributes).languageModelTools)) {
      const name = asText(objectOf(tool).name);
      owners.set(name, [...(owners.get(name) ?? []), extension]);
    }
  }
  return owners;
}

const nameOf = ({ id, packageJSON }: vscode.Extension<unknown>) => {
  const name = asText(objectOf(packageJSON).displayName);
  // `%displayName%` is a key of a translation.
  return name === '' || name.startsWith('%') ? id : name;
};

function readPart(part: unknown): Json {
  if (part instanceof vscode.LanguageModelTextPart) return { type: 'text', text: part.value };
  if (part instanceof vscode.LanguageModelPromptTsxPart) return { type: 'text', text: textOfTree(part.value) };
  if (part instanceof vscode.LanguageModelDataPart) {
    const { mimeType, data } = part;
    if (mimeType.startsWith('image/')) return { type: 'image', mimeType, data: Buffer.from(data).toString('base64') };
    const isText = mimeType.startsWith('text/') || mimeType.endsWith('json');
    return isText
      ? { type: 'text', text: new TextDecoder().decode(data) }
      : { type: 'resource', resource: { uri: 'data', mimeType, blob: Buffer.from(data).toString('base64') } };
  }
  return isTooDeep(part) ? { type: 'text', text: '' } : { type: 'text', text: JSON.stringify(part) ?? '' };
}

/** The texts of a tree of `@vscode/prompt-tsx`, in their order. */
function textOfTree(value: unknown): string {
  if (isTooDeep(value)) return '';
  const node = objectOf(value);
  if (typeof node.text === 'string') return node.lineBreakBefore ? `\n${node.text}` : node.text;
  const children = [node.node, ...listOf(node.children)].filter((each) => each !== undefined);
  return children.map(textOfTree).join('');
}
