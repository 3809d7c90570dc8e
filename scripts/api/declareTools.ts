/** The part of the declaration that names the built-in tools and the arguments of their calls, from the tools' schemas. */

import { declareTool } from '../../src/core/tools/tool.ts';
import { BUILT_IN_TOOLS } from '../../src/core/tools/toolList.ts';

/** The parts of a JSON schema that the tools' schemas use. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const HEAD = `/**
 * The tools that Palimpsest offers to a model, by name, with the arguments that their calls carry, as the model is told to
 * write them. What a call in a history holds is a model's text: check it before use. Imported sessions hold calls of other
 * programs' tools as well, and older ones a single edit of \`edit_file\` beside its \`path\`, without \`edits\` around it.
 */
export interface BuiltInToolArguments {
`;

export function declareTools(): string {
  const members = BUILT_IN_TOOLS.map(
    (tool) => `    readonly ${tool.name}: ${typeOf(declareTool(tool).parameters, '    ')};\n`,
  );
  return `${HEAD}${members.join('')}}
export type BuiltInToolName = keyof BuiltInToolArguments;
/** In the order in which they are declared to the model. */
export declare const BUILT_IN_TOOLS: readonly BuiltInToolName[];
`;
}

function typeOf({ type, enum: values, items, properties, required = [] }: Schema, indent: string): string {
  if (values) return values.map((value) => `'${value}'`).join(' | ');
  if (type === 'array') return `readonly ${itemOf(items ?? {}, indent)}[]`;
  if (type === 'integer') return 'number';
  if (type !== 'object') return type ?? 'unknown';
  const inner = `${indent}    `;
  const lines = Object.entries(properties ?? {}).map(([key, schema]) => {
    const comment = schema.description ? `${inner}/** ${asComment(schema.description)} */\n` : '';
    return `${comment}${inner}readonly ${key}${required.includes(key) ? '' : '?'}: ${typeOf(schema, inner)};\n`;
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`;
}

function itemOf(items: Schema, indent: string): string {
  const type = typeOf(items, indent);
  return items.enum ? `(${type})` : type;
}

/** A sentence that cannot end the comment it stands in, as a glob would. */
const asComment = (text: string) => text.replace(/\.?$/, '.').replaceAll('*/', '*\\/');
