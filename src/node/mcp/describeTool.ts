/**
 * A server's tool in the form given to the model: foreign text sanitised and cut, with a schema of bounded size. Unusable
 * tools are omitted with a reason.
 */

import { isTooDeep, type Json } from '../../core/json.ts';
import { neutralise } from '../../core/tools/text/neutralise.ts';
import { stripControls } from '../../core/tools/text/stripControls.ts';
import { type Words, words } from '../../core/words.ts';
import type { ListedTool } from './transport/connection.ts';

const LONGEST_TOOL_NAME = 200;

const LONGEST_DESCRIPTION = 2_000;

const LARGEST_SCHEMA = 32_000;

const DEEPEST_SCHEMA = 30;

type DescribedTool =
  | { readonly kind: 'usable'; readonly description: string; readonly parameters: Json }
  | { readonly kind: 'leftOut'; readonly reason: Words };

export function describeTool({ name, description, schema, onlyAsTask }: ListedTool): DescribedTool {
  if (onlyAsTask) return leftOut(words('it can only be run as a task, which is not supported here'));
  if (name.length > LONGEST_TOOL_NAME) return leftOut(words('its name is too long'));
  if (isTooDeep(schema, DEEPEST_SCHEMA)) return leftOut(words('its schema is nested too deeply'));
  const { $schema: _, ...rest } = cleanDeep(schema) as Json;
  const parameters = { ...rest, type: 'object', properties: rest.properties ?? {} };
  if (JSON.stringify(parameters).length > LARGEST_SCHEMA) return leftOut(words('its schema is too large'));
  const text = clean(description);
  const shown = text.length > LONGEST_DESCRIPTION ? `${text.slice(0, LONGEST_DESCRIPTION)}…` : text;
  return { kind: 'usable', description: shown.toWellFormed(), parameters };
}

export const leftOut = (reason: Words) => ({ kind: 'leftOut', reason }) as const;

/** Characters invisible to people but read by models, except those that join emoji. */
const INVISIBLE = /[[\p{Cf}\u{E0100}-\u{E01EF}]--\u200D]/gv;

const clean = (text: string) => neutralise(stripControls(text).replace(INVISIBLE, '')).toWellFormed();

function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map(cleanDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [clean(name), cleanDeep(each)]));
}
