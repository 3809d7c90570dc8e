/** Names of fields in the letters that every provider takes. Pure, so that a call's names can be led back to the tool's own. */

const ALLOWED = /^[a-zA-Z0-9_.-]{1,64}$/;
const LONGEST = 64;
/** Room for a number that tells equal names apart. */
const ROOM = 6;

/** The tool's own name of each field to the name that is sent; each is sent once. */
export function sentNames(own: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(own.filter((name) => ALLOWED.test(name)));
  const sent = new Map<string, string>();
  for (const [index, name] of own.entries()) {
    if (ALLOWED.test(name)) {
      sent.set(name, name);
      continue;
    }
    const letters = name.replace(/[^a-zA-Z0-9_.-]/g, '_').slice(0, LONGEST - ROOM);
    let found = /[a-zA-Z0-9]/.test(letters) ? letters : `field_${index + 1}`;
    if (taken.has(found)) found = `${found}_${index + 1}`;
    taken.add(found);
    sent.set(name, found);
  }
  return sent;
}
