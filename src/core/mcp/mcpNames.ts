/**
 * The names by which a model calls tools of other programs. Invariant: every provider accepts them, and no two tools have
 * the same.
 */

const PREFIX = 'mcp__';
const EXTENSION_PREFIX = 'ext__';

/** Whether another program describes the tool of this name. */
export const isForeignTool = (name: string): boolean => name.startsWith(PREFIX) || name.startsWith(EXTENSION_PREFIX);

/** Maximum length that providers accept. */
const LONGEST_TOOL_NAME = 64;
const MARK_LENGTH = 8;

/** The model's name for a tool: letters that every provider accepts. `mark` distinguishes names that would be equal. */
export function nameMcpTool(server: string, tool: string, mark: string, taken: (name: string) => boolean): string {
  return shorten(`${PREFIX}${clean(server)}__${clean(tool)}`, mark, taken);
}

/** The same for a tool of an extension, whose name VS Code keeps unique. */
export function nameExtensionTool(tool: string, mark: string, taken: (name: string) => boolean): string {
  return shorten(`${EXTENSION_PREFIX}${clean(tool)}`, mark, taken);
}

const clean = (text: string) => text.replace(/[^A-Za-z0-9_-]/g, '_');

function shorten(name: string, mark: string, taken: (name: string) => boolean): string {
  if (name.length <= LONGEST_TOOL_NAME && !taken(name)) return name;
  return `${name.slice(0, LONGEST_TOOL_NAME - MARK_LENGTH - 1)}_${mark.slice(0, MARK_LENGTH)}`;
}
