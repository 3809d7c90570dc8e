/**
 * Edits the endpoints in a person's settings, as functions from old values to new ones. Invalid entries, and everything
 * else that a person wrote there, stay unchanged.
 */

import * as vscode from 'vscode';
import { asText, listOf, objectOf } from '../../../core/json.ts';
import { type EndpointConfig, freeId, isEndpointId, usable } from '../../../node/models/endpointConfig.ts';
import type { Endpoint } from '../../../providers/endpoint.ts';
import { writeSetting } from '../../settings.ts';

/** As written, unchecked. */
export type StoredEndpoints = readonly unknown[];

/** The list in the panel can be searched, so a long one is stored too; models beyond it can be typed. */
const MOST_LISTED = 1_000;

/**
 * Adds the endpoint at this address, or finds the existing one, and offers one more of its models, with the others that
 * it `lists`. Plain http to a private network has been agreed to. `id` is the endpoint's. `more` holds for an endpoint whose dialect nobody set.
 */
export function addModel(
  stored: StoredEndpoints,
  endpoint: Endpoint,
  name: string,
  lists: readonly string[] = [],
  more: Partial<Pick<EndpointConfig, 'dialect' | 'keyHeader'>> = {},
): { readonly stored: StoredEndpoints; readonly id: string } {
  const names = [name, ...lists.slice(0, MOST_LISTED).filter((each) => each !== name)];
  const agreed = endpoint.plainHttp ? { plainHttp: true } : {};
  const isAt = (baseUrl: string) => usable(baseUrl)?.baseUrl === endpoint.baseUrl;
  const known = stored.map(objectOf).find(({ id, baseUrl }) => isEndpointId(asText(id)) && isAt(asText(baseUrl)));
  if (known) {
    const id = asText(known.id);
    const changes = ({ models, ...fields }: Fields) => ({
      ...agreed,
      models: names.reduce(withName, listOf(models)),
      ...('dialect' in fields ? {} : more),
    });
    return { stored: change(stored, id, changes), id };
  }
  const id = freeId(stored, endpoint);
  return { stored: [...stored, { id, baseUrl: endpoint.baseUrl, ...agreed, ...more, models: names }], id };
}

/** Offers exactly these models. Settings of those that stay are kept. */
export function offerModels(stored: StoredEndpoints, id: string, names: readonly string[]): StoredEndpoints {
  return change(stored, id, ({ models }) => ({
    models: names.map((name) => listOf(models).find((model) => nameOf(model) === name) ?? name),
  }));
}

/** Sets the window of an endpoint's model, in tokens. */
export function setWindow(stored: StoredEndpoints, id: string, name: string, contextWindow: number): StoredEndpoints {
  return change(stored, id, ({ models }) => ({
    models: listOf(models).map((model) =>
      nameOf(model) === name ? { ...objectOf(model), name, contextWindow } : model,
    ),
  }));
}

/** Plain http to a private network has been agreed to. */
export function moveTo(stored: StoredEndpoints, id: string, endpoint: Endpoint): StoredEndpoints {
  return change(stored, id, () => ({
    baseUrl: endpoint.baseUrl,
    plainHttp: endpoint.plainHttp || undefined,
  }));
}

export function removeEndpoint(stored: StoredEndpoints, id: string): StoredEndpoints {
  return stored.filter((entry) => asText(objectOf(entry).id) !== id);
}

type Fields = Readonly<Record<string, unknown>>;

function change(stored: StoredEndpoints, id: string, changes: (entry: Fields) => Fields): StoredEndpoints {
  return stored.map((entry) => {
    const fields = objectOf(entry);
    return asText(fields.id) === id ? { ...fields, ...changes(fields) } : entry;
  });
}

const nameOf = (model: unknown): string => asText(model) || asText(objectOf(model).name);

function withName(list: readonly unknown[], name: string): readonly unknown[] {
  return list.some((model) => nameOf(model) === name) ? list : [...list, name];
}

/** The endpoints as written in the user's settings. */
export function readStored(): StoredEndpoints {
  return listOf(vscode.workspace.getConfiguration('palimpsest').inspect('endpoints')?.globalValue);
}

/** Writes a person's changes as a whole. */
export async function writeStored(stored: StoredEndpoints): Promise<void> {
  if (JSON.stringify(readStored()) === JSON.stringify(stored)) return;
  await writeSetting('endpoints', stored.length > 0 ? stored : undefined);
}
