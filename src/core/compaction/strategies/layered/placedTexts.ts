/**
 * Splits the arguments of a call into its texts, by what the agent does with each: it writes it, repeats it, or asks
 * with it.
 */

/**
 * Where a line occurs: in a result, in text the agent writes into a file, in text it repeats from one, in a request to
 * a tool, or in words.
 */
export type Place = 'result' | 'written' | 'repeated' | 'asked' | 'said';

interface PlacedText {
  readonly text: string;
  readonly place: Place;
  /** Repeated to find the place of an edit, which leaves it as it is. */
  readonly stays?: boolean;
}

/** Fields of common agents' tools. */
const WRITTEN = /^(?:new_?(?:string|str|text|source)|contents?|file_text|replace(?:ment)?|insert_text)$/i;

const REPEATED = /^(?:old_?(?:string|str|text|source)|search|find)$/i;

const BEGIN_PATCH = '*** Begin Patch';

/** `value` is the arguments as JSON, or the bare text that the model wrote. */
export function placedTexts(value: unknown, place: Place = 'asked'): PlacedText[] {
  if (typeof value === 'string') {
    return place === 'asked' && value.includes(BEGIN_PATCH) ? patchTexts(value) : [{ text: value, place }];
  }
  if (Array.isArray(value)) return value.flatMap((each) => placedTexts(each, place));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    placedTexts(each, place === 'asked' ? placeOfField(key) : place),
  );
}

function placeOfField(key: string): Place {
  if (WRITTEN.test(key)) return 'written';
  return REPEATED.test(key) ? 'repeated' : 'asked';
}

function patchTexts(patch: string): PlacedText[] {
  let inside = false;
  return patch.split('\n').flatMap((line): PlacedText[] => {
    if (line.startsWith(BEGIN_PATCH) || line.startsWith('*** End Patch')) {
      inside = line.startsWith(BEGIN_PATCH);
      return [];
    }
    if (!inside || line.startsWith('***')) return [{ text: line, place: 'asked' }];
    if (line.startsWith('+')) return [{ text: line.slice(1), place: 'written' }];
    return [{ text: line.replace(/^(?:@@ ?|[ -])/, ''), place: 'repeated', stays: !line.startsWith('-') }];
  });
}
