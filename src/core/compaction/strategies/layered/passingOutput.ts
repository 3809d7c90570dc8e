/** Recognises lines that are others in the next run: durations, times of the day, addresses in memory. */

/** Values that are others in the next run: durations, times of the day, addresses in memory. */
const OF_ONE_RUN =
  /\b(?:durations?|elapsed|took|time|real|user|sys)\w*["']?\s{0,8}[:=]?\s{0,8}["']?\d[\d.,]*(?:\s?(?:m?s|µs|ns|sec(?:ond)?s?|min(?:ute)?s?)\b)?|\b\d+(?:\.\d+)?\s?(?:ms|µs|ns|s|sec(?:ond)?s?)\b|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.Z]*|\b\d\d:\d\d:\d\d(?:\.\d+)?\b|\b0x[\da-f]{6,}\b/gi;

/** A longer line, or one with so many other letters, says something besides. */
const LONGEST_PASSING = 80;

const FEWEST_LETTERS = 12;

export function isOfOneRun(text: string): boolean {
  if (text.length > LONGEST_PASSING || !/\d/.test(text)) return false;
  const rest = text.replace(OF_ONE_RUN, '');
  return rest.length < text.length && rest.replace(/\P{L}/gu, '').length < FEWEST_LETTERS;
}
