/** A message that runs a prompt of an MCP server: `/server:prompt city=Paris note="two words"`, then what the person adds. */

export interface PromptCall {
  readonly server: string;
  readonly prompt: string;
  readonly given: Readonly<Record<string, string>>;
}

const CALL = /^\s*\/([^\s:/]+):([^\s:=]+)(?=\s|$)/u;
const ARGUMENT = /^[^\S\n]+([^\s="]+)=(?:"((?:[^"\\]|\\["\\])*)"|([^\s"]*))/u;

export function readPromptCall(text: string): PromptCall | null {
  const [whole, server, prompt] = CALL.exec(text) ?? [];
  if (whole === undefined || server === undefined || prompt === undefined) return null;
  const given: Record<string, string> = {};
  for (let rest = text.slice(whole.length); ; ) {
    const [argument, name, quoted, bare = ''] = ARGUMENT.exec(rest) ?? [];
    if (argument === undefined || name === undefined) break;
    given[name] = quoted?.replace(/\\(["\\])/g, '$1') ?? bare;
    rest = rest.slice(argument.length);
  }
  return { server, prompt, given: { ...given } };
}

/** The same message with these arguments. What the person added stays. */
export function writePromptCall(text: string, given: Readonly<Record<string, string>>): string {
  const [whole = ''] = CALL.exec(text) ?? [];
  let rest = text.slice(whole.length);
  for (let [argument] = ARGUMENT.exec(rest) ?? []; argument !== undefined; [argument] = ARGUMENT.exec(rest) ?? []) {
    rest = rest.slice(argument.length);
  }
  const named = Object.entries(given).map(([name, value]) => ` ${name}=${writeValue(value)}`);
  return `${whole.trimStart()}${named.join('')}${rest}`;
}

const writeValue = (value: string) => (/^[^\s"\\]+$/u.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`);
