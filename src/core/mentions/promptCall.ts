/**
 * A message that runs a prompt of an MCP server: `/server:prompt city=Paris note="two words"`, followed by the person's
 * own text.
 */

export interface PromptCall {
  readonly server: string;
  readonly prompt: string;
  readonly given: Readonly<Record<string, string>>;
}

const CALL = /^\s*\/([^\s:/]+):([^\s:=]+)(?=\s|$)/u;

const COMMAND = /^\s*\/[^\s/]+(?=\s|$)/u;

const ARGUMENT = /^[^\S\n]+([^\s="]+)=(?:"((?:[^"\\]|\\["\\])*)"|([^\s"]*))/u;

export function readPromptCall(text: string): PromptCall | null {
  const [, server, prompt] = CALL.exec(text) ?? [];
  return server === undefined || prompt === undefined ? null : { server, prompt, given: readArguments(text) };
}

/** The arguments right behind a command's name: `/name city=Paris note="two words"`. */
export function readArguments(text: string): Readonly<Record<string, string>> {
  const given = new Map<string, string>();
  for (let rest = text.slice(COMMAND.exec(text)?.[0].length ?? 0); ; ) {
    const [argument, name, quoted, bare = ''] = ARGUMENT.exec(rest) ?? [];
    if (argument === undefined || name === undefined) break;
    given.set(name, quoted?.replace(/\\(["\\])/g, '$1') ?? bare);
    rest = rest.slice(argument.length);
  }
  return Object.fromEntries(given);
}

/** The same message with these arguments. The person's own text stays. */
export function writeArguments(text: string, given: Readonly<Record<string, string>>): string {
  const [whole = ''] = COMMAND.exec(text) ?? [];
  let rest = text.slice(whole.length);
  for (let [argument] = ARGUMENT.exec(rest) ?? []; argument !== undefined; [argument] = ARGUMENT.exec(rest) ?? []) {
    rest = rest.slice(argument.length);
  }
  const named = Object.entries(given).map(([name, value]) => ` ${name}=${writeValue(value)}`);
  return `${whole.trimStart()}${named.join('')}${rest}`;
}

const writeValue = (value: string) => (/^[^\s"\\]+$/u.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`);
