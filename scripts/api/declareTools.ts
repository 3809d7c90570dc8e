/**
 * The part of the declaration that names the built-in tools and the arguments of their calls. What is published keeps its
 * words; a tool that is not in there yet is declared from its own schema.
 */

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
 * The tools that Palimpsest offers to a model, by name, with the arguments that their calls carry. What a call in a
 * history holds is a model's text: check it before use. Imported sessions hold calls of other programs' tools as well.
 */
/** The arguments of each tool, as a model is told to write them. */
export interface BuiltInToolArguments {
`;

const MEMBER = /(?:^ {4}\/\*\*.*\*\/\n)*^ {4}readonly (\w+): \{(?:\n[\s\S]*?^ {4})?\};\n/gm;

export function declareTools(committed: string): string {
  const [, published = ''] = committed.split(HEAD);
  const members = new Map([...published.matchAll(MEMBER)].map(([text, name]) => [name, text]));
  const left = [...members].filter(([name]) => BUILT_IN_TOOLS.some((tool) => tool.name === name));
  const added = BUILT_IN_TOOLS.filter(({ name }) => !members.has(name)).map(
    (tool) => `    readonly ${tool.name}: ${typeOf(declareTool(tool).parameters, '    ')};\n`,
  );
  return `${HEAD}${left.map(([, text]) => text).join('')}${added.join('')}}
export type BuiltInToolName = keyof BuiltInToolArguments;
/** In the order in which they are declared to the model. */
export declare const BUILT_IN_TOOLS: readonly BuiltInToolName[];
`;
}

function typeOf({ type, enum: values, items, properties, required = [] }: Schema, indent: string): string {
  if (values) return values.map((value) => `'${value}'`).join(' | ');
  if (type === 'array') return `readonly (${typeOf(items ?? {}, indent)})[]`;
  if (type === 'integer') return 'number';
  if (type !== 'object') return type ?? 'unknown';
  const inner = `${indent}    `;
  const lines = Object.entries(properties ?? {}).map(([key, schema]) => {
    const comment = schema.description ? `${inner}/** ${schema.description}. */\n` : '';
    return `${comment}${inner}readonly ${key}${required.includes(key) ? '' : '?'}: ${typeOf(schema, inner)};\n`;
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`;
}
