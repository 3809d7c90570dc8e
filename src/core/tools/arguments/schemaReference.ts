/** References inside of one JSON schema. */

import { asRecord, type Json, objectOf, ownOf } from '../../json.ts';

/** References that are followed one after the other, so that a circle ends. */
export const MOST_REFERENCES = 20;

/** The schema that a local reference such as `#/$defs/point` names in `root`; null for any other reference, and where there is none. */
export function findReferenced(root: Json, reference: string): Json | null {
  if (!reference.startsWith('#')) return null;
  let at: unknown = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    at = Array.isArray(at) ? at[Number(name)] : ownOf(objectOf(at), name);
  }
  return asRecord(at);
}
