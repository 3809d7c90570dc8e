/** How an endpoint is called where a person chooses among several. */

import { hideInAddresses } from '../../../core/hideInAddresses.ts';
import { type Endpoint, parseEndpoint } from '../../../providers/endpoint.ts';
import { presetOf } from '../../../providers/presets.ts';
import { type ConfiguredEndpoint, SHORT_FORM } from './endpointConfig.ts';

/** The provider's own name where the endpoint is called after it, else the person's. */
export function labelOf({ id, baseUrl }: ConfiguredEndpoint): string {
  const endpoint = usable(baseUrl);
  const preset = endpoint && presetOf(endpoint);
  if (preset && (id === SHORT_FORM || id === preset.id)) return preset.label;
  return id === SHORT_FORM ? hostOf(baseUrl) : id;
}

/** The heading over its models: its label, and where they are. */
export function headingOf(endpoint: ConfiguredEndpoint): string {
  const [label, host] = [labelOf(endpoint), hostOf(endpoint.baseUrl)];
  return label === host ? host : `${label} · ${host}`;
}

/** `host:port`, or as much of an address that cannot be used as may be shown. */
export function hostOf(baseUrl: string): string {
  const endpoint = usable(baseUrl);
  return endpoint ? new URL(endpoint.origin).host : showAddress(baseUrl);
}

/** Without what gives access. */
export const showAddress = (baseUrl: string): string => hideInAddresses(baseUrl).replace(/[?#].*/s, '');

/** Null for an address that cannot be used; choosing one of its models says why. */
export function usable(baseUrl: string): Endpoint | null {
  try {
    return parseEndpoint(baseUrl);
  } catch {
    return null;
  }
}
