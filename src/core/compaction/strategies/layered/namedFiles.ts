/** Files that a patch changes or a plain command shows, where no field of a call names them. */

const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.{1,300})$/;

const SHOWING_COMMANDS = /^\s*(?:cd [^&;]{0,300}(?:&&|;)\s*)?(?:sed -n|cat|head|tail|nl|less|bat)\b/;

const FILE = /^(?:[\w@.~+-]*[\\/])*[\w@+.-]*\w\.[A-Za-z]\w{0,4}$/;

const LONGEST_COMMAND = 400;

/** `lines` are the lines of the request to the tool. */
export function namedFiles(lines: readonly string[]): string[] {
  const patched = lines.flatMap((line) => PATCHED.exec(line)?.[1]?.trim() ?? []);
  if (patched.length > 0) return patched;
  const command = lines.find((line) => line.length < LONGEST_COMMAND && SHOWING_COMMANDS.test(line));
  const file = command?.split(/[\s'"=;:,)]+/).findLast((word) => FILE.test(word));
  return file === undefined ? [] : [file];
}
