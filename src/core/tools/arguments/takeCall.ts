/**
 * A call as the model wrote it becomes the call that is stored, shown, approved and run. Arguments that fit stay as they
 * are, letter for letter; others are brought once into the tool's own form, if that keeps their meaning, and checked again.
 */

import * as z from 'zod';
import type { ToolCall } from '../../context/message.ts';
import { messageOf, ToolError } from '../../errors.ts';
import { DEEPEST, isObject, isTextTooDeep, type Json, objectOf } from '../../json.ts';
import type { Files } from '../../workspace/files.ts';
import { isWholePath } from '../../workspace/wholePaths.ts';
import type { Tool } from '../tool.ts';
import { fitArguments } from './fitArguments.ts';
import { readLooseJson, repeatedField } from './looseJson.ts';
import { describe, requiredBy, SchemaReader } from './schemaFaults.ts';

export interface TakenCall extends ToolCall {
  /** Names what was left out of the arguments, in words for the model. Default: nothing. */
  readonly remarks?: readonly string[];
}

type Taking =
  | { readonly kind: 'taken'; readonly call: TakenCall; readonly input: unknown }
  /** In words for the model: what is wrong, where, and what is wanted. */
  | { readonly kind: 'refused'; readonly reason: string };

/** The calls of an answer in the form that is stored. Those that no tool takes stay as they are. */
export async function takeCalls(
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  files: Pick<Files, 'resolve'>,
): Promise<readonly TakenCall[]> {
  const taken: TakenCall[] = [];
  for (const call of calls) {
    const tool = tools.find(({ name }) => name === call.name);
    const taking = tool && (await takeCall(call, tool, files));
    taken.push(taking?.kind === 'taken' ? taking.call : call);
  }
  return taken;
}

/** `input` is what the tool is prepared with. */
export async function takeCall(call: TakenCall, tool: Tool, files: Pick<Files, 'resolve'>): Promise<Taking> {
  const read = readArguments(call.arguments, tool);
  if (read.kind === 'malformed') return refused(`${read.reason} Nothing was done; call it again.`);
  const { value, remarks, checked } = read.asWritten ?? bring(read.value, call.arguments, tool);
  if (checked.kind === 'faulty')
    return refused(`the arguments do not fit. ${checked.faults.join('; ')}. Nothing was done.`);
  const placed = tool.parameters ? value : await mendPaths(value, files);
  const isUnchanged = read.asWritten !== null && placed === value;
  const input = placed === value ? checked.input : tool.input.parse(placed);
  if (isUnchanged) return { kind: 'taken', call, input };
  const all = [...(call.remarks ?? []), ...remarks];
  return {
    kind: 'taken',
    call: { ...call, arguments: JSON.stringify(placed), ...(all.length > 0 ? { remarks: all } : {}) },
    input,
  };
}

const refused = (reason: string): Taking => ({ kind: 'refused', reason });

interface Reading {
  readonly value: unknown;
  readonly remarks: readonly string[];
  readonly checked: Checked;
}

type Checked =
  | { readonly kind: 'fits'; readonly input: unknown }
  | { readonly kind: 'faulty'; readonly faults: readonly string[] };

function readArguments(
  text: string,
  tool: Tool,
):
  | { readonly kind: 'read'; readonly value: unknown; readonly asWritten: Reading | null }
  | { readonly kind: 'malformed'; readonly reason: string } {
  if (text.trim() === '') {
    if (requiredBy(schemaOf(tool)).length === 0) return { kind: 'read', value: {}, asWritten: null };
    return { kind: 'malformed', reason: 'the arguments are empty; a JSON object is needed.' };
  }
  if (isTextTooDeep(text))
    return { kind: 'malformed', reason: `the arguments are nested more than ${DEEPEST} levels deep.` };
  const repeated = repeatedField(text);
  if (repeated !== undefined)
    return { kind: 'malformed', reason: `"${repeated}" is given twice, with different values; give it once.` };
  try {
    const value = JSON.parse(text) as unknown;
    const checked = check(value, tool);
    const fits = checked.kind === 'fits' && !hasStrays(value, tool);
    return { kind: 'read', value, asWritten: fits ? { value, remarks: [], checked } : null };
  } catch (thrown) {
    const value = readLooseJson(text);
    if (value !== undefined) return { kind: 'read', value, asWritten: null };
    return { kind: 'malformed', reason: `the arguments are not valid JSON (${messageOf(thrown)}).` };
  }
}

/** Fields that a foreign schema does not name, and does not forbid. */
function hasStrays(value: unknown, { parameters }: Tool): boolean {
  if (!parameters || !isObject(value)) return false;
  const properties = objectOf(parameters.properties);
  const names = Object.keys(properties);
  return names.length > 0 && Object.keys(value).some((name) => !Object.hasOwn(properties, name));
}

function bring(given: unknown, written: string, tool: Tool): Reading {
  const onlyReads = tool.toolClass === 'read';
  const { value, remarks } = fitArguments(given, schemaOf(tool), { toolName: tool.name, written, onlyReads });
  const own = tool.otherForms && isObject(value) ? tool.otherForms.toOwn(value) : value;
  return { value: own, remarks, checked: check(own, tool) };
}

function check(value: unknown, { input, parameters }: Tool): Checked {
  const parsed = input.safeParse(value);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => {
      const came = path.reduce<unknown>((at, step) => (objectOf(at) as Record<PropertyKey, unknown>)[step], value);
      const shown = /received undefined$/.test(message) || path.length === 0 ? '' : ` (given: ${describe(came)})`;
      return `${nameField(path)}: ${message}${shown}`;
    });
    return { kind: 'faulty', faults };
  }
  const faults = parameters ? new SchemaReader(parameters).faults(value, parameters) : [];
  if (faults.length > 0)
    return { kind: 'faulty', faults: faults.map(({ path, message }) => `${nameField(path)}: ${message}`) };
  return { kind: 'fits', input: parsed.data };
}

function nameField(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'arguments' : path.map(String).join('.');
}

const SCHEMAS = new WeakMap<Tool, Json>();

/** The schema by which arguments are brought into form: the tool's own, with its other forms. */
function schemaOf(tool: Tool): Json {
  if (tool.parameters) return tool.parameters;
  let schema = SCHEMAS.get(tool);
  if (!schema) {
    schema = z.toJSONSchema(tool.otherForms?.schema ?? tool.input, { io: 'input', unrepresentable: 'any' }) as Json;
    SCHEMAS.set(tool, schema);
  }
  return schema;
}

const PATHS = ['path', 'new_path'] as const;

/**
 * Paths as people write them in a message: as a mention, or in quotes. What exists under the very name stays. A whole path of
 * the open folders becomes the one that tools show, so that a file has one name wherever calls are compared.
 */
async function mendPaths(value: unknown, files: Pick<Files, 'resolve'>): Promise<unknown> {
  if (!isObject(value)) return value;
  let mended: Json = value;
  for (const name of PATHS) {
    const given = value[name];
    if (typeof given !== 'string') continue;
    const path = await shortenWhole(await mendPath(given, files), files);
    if (path !== given) mended = { ...mended, [name]: path };
  }
  return mended;
}

async function mendPath(given: string, files: Pick<Files, 'resolve'>): Promise<string> {
  const unquoted = unquote(given);
  const bare = unquoted.replace(/^@(?=.)/s, '');
  if (bare === given || bare === '') return given;
  const exists = async (path: string) => {
    try {
      return (await files.resolve(path)).exists;
    } catch (thrown) {
      if (thrown instanceof ToolError) return false;
      throw thrown;
    }
  };
  if (await exists(given)) return given;
  const [folder = ''] = given.split('/', 1);
  // A new file in a folder of that name.
  if (folder !== given && (await exists(folder)) && !(await exists(bare))) return given;
  // A mention leads to something that is there; `@types/a.d.ts` where nothing is begins with its own `@`.
  const [within = ''] = bare.split('/', 1);
  return bare === unquoted || (await exists(within)) ? bare : unquoted;
}

async function shortenWhole(path: string, files: Pick<Files, 'resolve'>): Promise<string> {
  if (!isWholePath(path)) return path;
  try {
    return (await files.resolve(path)).shown;
  } catch (thrown) {
    // The tool says why.
    if (thrown instanceof ToolError) return path;
    throw thrown;
  }
}

function unquote(text: string): string {
  const trimmed = text.trim();
  const [first = '', last = ''] = [trimmed[0], trimmed.at(-1)];
  return trimmed.length > 2 && first === last && /["'`]/.test(first) ? trimmed.slice(1, -1).trim() : text;
}
