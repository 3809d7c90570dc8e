/**
 * How a model of an endpoint is named in settings, journals and the chooser: `NAME@ENDPOINT`, or the bare `NAME`, which
 * is looked for in the endpoints' lists and else belongs to the first. A name may itself hold `@`.
 */

import { type ConfiguredEndpoint, type EndpointModel, isEndpointId, SHORT_FORM } from './endpointConfig.ts';

export type FoundModel =
  | { readonly kind: 'found'; readonly endpoint: ConfiguredEndpoint; readonly model: EndpointModel }
  /** It names an endpoint that is not configured. */
  | { readonly kind: 'gone'; readonly name: string; readonly endpoint: string }
  /** No name, or no endpoint at all. */
  | { readonly kind: 'none' };

/** The id by which a model is chosen and remembered. */
export function referTo(name: string, endpoint: string): string {
  return endpoint === SHORT_FORM ? name : `${name}@${endpoint}`;
}

/** `beside`: the endpoint that a bare name belongs to before all others. */
export function findModel(
  reference: string,
  endpoints: readonly ConfiguredEndpoint[],
  beside?: ConfiguredEndpoint,
): FoundModel {
  if (!reference) return { kind: 'none' };
  const at = reference.lastIndexOf('@');
  const name = reference.slice(0, at);
  const id = reference.slice(at + 1);
  const named = at > 0 && id !== SHORT_FORM ? endpoints.find((endpoint) => endpoint.id === id) : undefined;
  if (named) return { kind: 'found', endpoint: named, model: listed(name, named) ?? { name } };

  const order = beside ? [beside, ...endpoints.filter(({ id }) => id !== beside.id)] : endpoints;
  for (const endpoint of order) {
    const model = listed(reference, endpoint);
    if (model) return { kind: 'found', endpoint, model };
  }
  // A request never goes to another endpoint than the one that was chosen.
  if (at > 0 && isEndpointId(id)) return { kind: 'gone', name, endpoint: id };
  const [first] = order;
  return first ? { kind: 'found', endpoint: first, model: { name: reference } } : { kind: 'none' };
}

const listed = (name: string, { models }: ConfiguredEndpoint) => models.find((model) => model.name === name);
