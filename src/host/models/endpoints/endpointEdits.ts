/**
 * Changes to the endpoints in a person's settings, as functions from what stands there to what will. Entries that cannot
 * be used, and whatever else a person wrote beside what is changed, stay as they are.
 */

import * as vscode from 'vscode';
import { asText, listOf, objectOf } from '../../../core/json.ts';
import { type Endpoint, parseEndpoint } from '../../../providers/endpoint.ts';
import { presetOf } from '../../../providers/presets.ts';
import { writeSetting } from '../../settings/agentSettings.ts';
import { isEndpointId, SHORT_FORM, usable } from './endpointConfig.ts';

/** As written, unchecked. */
export interface StoredEndpoints {
  readonly endpoints: readonly unknown[];
  readonly 'endpoint.baseUrl': string;
  readonly 'endpoint.models': readonly string[];
}

export interface Edit {
  readonly stored: StoredEndpoints;
  /** The endpoint that was changed. */
  readonly id: string;
}

/** The list in the panel is searched, so a long one is kept too; the server has what is beyond. */
const MOST_LISTED = 1_000;

/**
 * Adds the endpoint at this address, or finds it where it is set up, and offers one more of its models, with the others
 * that it `lists`. The short form becomes an entry like the others, so that there is one place to look.
 */
export function addModel(
  stored: StoredEndpoints,
  endpoint: Endpoint,
  name: string,
  lists: readonly string[] = [],
): Edit {
  const { stored: moved } = isAt(stored['endpoint.baseUrl'], endpoint) ? moveShortForm(stored) : { stored };
  const names = [name, ...lists.slice(0, MOST_LISTED).filter((each) => each !== name)];
  const known = moved.endpoints
    .map(objectOf)
    .find(({ id, baseUrl }) => isEndpointId(asText(id)) && isAt(asText(baseUrl), endpoint));
  if (known) {
    const id = asText(known.id);
    return { stored: change(moved, id, ({ models }) => ({ models: names.reduce(withName, listOf(models)) })), id };
  }
  const id = freeId(moved, endpoint);
  const added = { id, baseUrl: endpoint.baseUrl, models: names };
  return { stored: { ...moved, endpoints: [...moved.endpoints, added] }, id };
}

/** Offers these models and no others. What was said of one that stays is kept. */
export function offerModels(stored: StoredEndpoints, id: string, names: readonly string[]): Edit {
  return edit(stored, id, ({ models }) => ({
    models: names.map((name) => listOf(models).find((model) => nameOf(model) === name) ?? name),
  }));
}

/** Says how many tokens a model of the endpoint holds. */
export function setWindow(stored: StoredEndpoints, id: string, name: string, contextWindow: number): Edit {
  return edit(stored, id, ({ models }) => ({
    models: listOf(models).map((model) =>
      nameOf(model) === name ? { ...objectOf(model), name, contextWindow } : model,
    ),
  }));
}

export function moveTo(stored: StoredEndpoints, id: string, endpoint: Endpoint): Edit {
  return edit(stored, id, () => ({ baseUrl: endpoint.baseUrl }));
}

export function removeEndpoint(stored: StoredEndpoints, id: string): StoredEndpoints {
  if (id === SHORT_FORM) return { ...stored, 'endpoint.baseUrl': '', 'endpoint.models': [] };
  return { ...stored, endpoints: stored.endpoints.filter((entry) => asText(objectOf(entry).id) !== id) };
}

/** It goes first, as the short form does, so that bare names go on meaning its models. */
function moveShortForm(stored: StoredEndpoints): Edit {
  const { 'endpoint.baseUrl': baseUrl, 'endpoint.models': models, endpoints } = stored;
  const id = freeId(stored, parseEndpoint(baseUrl));
  const moved = { id, baseUrl, models: [...models] };
  return { stored: { endpoints: [moved, ...endpoints], 'endpoint.baseUrl': '', 'endpoint.models': [] }, id };
}

type Fields = Readonly<Record<string, unknown>>;

function edit(stored: StoredEndpoints, id: string, changes: (entry: Fields) => Fields): Edit {
  if (id !== SHORT_FORM) return { stored: change(stored, id, changes), id };
  const moved = moveShortForm(stored);
  return { stored: change(moved.stored, moved.id, changes), id: moved.id };
}

function change(stored: StoredEndpoints, id: string, changes: (entry: Fields) => Fields): StoredEndpoints {
  const endpoints = stored.endpoints.map((entry) => {
    const fields = objectOf(entry);
    return asText(fields.id) === id ? { ...fields, ...changes(fields) } : entry;
  });
  return { ...stored, endpoints };
}

/** The provider's id where it is known, else a word of the host; with a number when that is taken. */
function freeId({ endpoints }: StoredEndpoints, endpoint: Endpoint): string {
  const taken = new Set(endpoints.map((entry) => asText(objectOf(entry).id)));
  const { hostname } = new URL(endpoint.origin);
  const words = hostname.split('.').filter((word) => !/^(api|www|com|org|net|io|ai)$/.test(word));
  const named = endpoint.loopback ? 'local' : words.find((word) => isEndpointId(word));
  const base = (presetOf(endpoint)?.id ?? named ?? 'endpoint').slice(0, 30);
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (!taken.has(id)) return id;
  }
}

const isAt = (baseUrl: string, endpoint: Endpoint): boolean => usable(baseUrl)?.baseUrl === endpoint.baseUrl;

const nameOf = (model: unknown): string => asText(model) || asText(objectOf(model).name);

function withName(list: readonly unknown[], name: string): readonly unknown[] {
  return list.some((model) => nameOf(model) === name) ? list : [...list, name];
}

/** The endpoints as they are written in the user's settings, read and written as a whole. */
export function readStored(): StoredEndpoints {
  const section = vscode.workspace.getConfiguration('palimpsest');
  const own = (key: string) => section.inspect(key)?.globalValue;
  return {
    endpoints: listOf(own('endpoints')),
    'endpoint.baseUrl': asText(own('endpoint.baseUrl')),
    'endpoint.models': listOf(own('endpoint.models')).filter((name) => typeof name === 'string'),
  };
}

/** The list goes first: no endpoint is missing at any time. */
export async function writeStored(stored: StoredEndpoints): Promise<void> {
  const before = readStored();
  for (const key of ['endpoints', 'endpoint.baseUrl', 'endpoint.models'] as const) {
    if (JSON.stringify(before[key]) === JSON.stringify(stored[key])) continue;
    await writeSetting(key, stored[key].length > 0 ? stored[key] : undefined);
  }
}
