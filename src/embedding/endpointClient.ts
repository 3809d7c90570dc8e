/** A client of an endpoint for other programs, whose options are checked. */

import type { ModelClient } from '../core/model/modelClient.ts';
import {
  checkOptions,
  FUNCTION,
  needed,
  OBJECT,
  type OptionRules,
  objectWith,
  oneOf,
  TEXT,
  YES_OR_NO,
} from '../core/options.ts';
import type { ClientOptions } from '../providers/clientOptions.ts';
import { createEndpointClient as createClient } from '../providers/endpointClient.ts';
import { KEY_HEADERS } from '../providers/endpointFetch.ts';
import { ENDPOINT_DIALECTS } from '../providers/presets.ts';

const OPTIONS: OptionRules<ClientOptions> = {
  baseUrl: needed({ ...TEXT, wanted: 'an address, such as http://localhost:11434/v1' }),
  key: needed({
    ...FUNCTION,
    wanted: 'a function that resolves with the key, or with undefined for none',
    secret: true,
  }),
  dialect: oneOf(ENDPOINT_DIALECTS),
  keyHeader: oneOf(KEY_HEADERS),
  headers: { ...OBJECT, wanted: 'an object of headers and their values', secret: true },
  plainHttp: YES_OR_NO,
  limits: OBJECT,
  timers: objectWith('after'),
  now: FUNCTION,
  fetch: FUNCTION,
  proxy: FUNCTION,
  mintId: FUNCTION,
  cacheLifetimes: FUNCTION,
  facts: OBJECT,
};

/** Throws `TypeError` for an option that cannot be used, and `ModelError` (`badRequest`) for an unusable address. */
export function createEndpointClient(options: ClientOptions): ModelClient {
  checkOptions('createEndpointClient', options, OPTIONS);
  return createClient(options);
}
