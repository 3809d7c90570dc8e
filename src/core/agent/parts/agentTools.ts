/**
 * The tools that a file gives to an agent. Files written for other programs name tools as these do: their names are mapped
 * to the product's, and what has no meaning here is reported.
 */

import { type FrontMatterValue, readSwitch } from '../../frontMatter.ts';
import { editFile } from '../../tools/builtIn/editFile.ts';
import { recall } from '../../tools/builtIn/recall.ts';
import { neutralise } from '../../tools/text/neutralise.ts';
import { showHidden } from '../../tools/text/showHidden.ts';
import type { Tool } from '../../tools/tool.ts';
import { BUILT_IN_TOOLS } from '../../tools/toolList.ts';
import { listSome, verbatim, type Words, words } from '../../words.ts';

export interface AgentTools {
  /** The product's tool names; null for all tools. */
  readonly tools: readonly string[] | null;
  /** The product's tool names that it may not use, whatever `tools` says. */
  readonly withheld: readonly string[];
}

const LONGEST_NAME = 64;
const MOST_SHOWN = 10;

/** True for tools that the agent may use. Tools that keep its context readable are allowed unless withheld by name. */
export function mayUse({ tools, withheld }: AgentTools, name: string): boolean {
  const isIn = (list: readonly string[]) =>
    list.some((each) => each === name || (/^mcp(?:__|$)/.test(each) && name.startsWith(`${each}__`)));
  return !isIn(withheld) && (tools === null || name === recall.name || isIn(tools));
}

/** The product's names for a tool that a file calls `name`, in lower case. */
const oursCalled = (name: string): readonly string[] =>
  BUILT_IN_TOOLS.filter((tool: Tool) => tool.name === name || tool.alsoCalled?.includes(name)).map(({ name }) => name);

/** Before a slash these are groups of tools; any other word is a server. */
const GROUPS: ReadonlySet<string> = new Set(['agent', 'edit', 'execute', 'read', 'search', 'todo', 'vscode', 'web']);

interface ToolLimits {
  readonly allowed: readonly string[] | null;
  readonly withheld: readonly string[];
  readonly remarks: Words[];
}

export function readToolLimits(fields: ReadonlyMap<string, FrontMatterValue>, id: string): ToolLimits {
  const [tools, denied] = [fields.get('tools'), fields.get('disallowedtools')];
  const permission = fields.get('permission');
  const switches = [tools, permission === 'deny' ? new Map([['*', permission]]) : permission].flatMap((value) =>
    isTable(value) ? [...value] : [],
  );
  const off = switches.filter(([, value]) => isOff(value)).map(([name]) => name);
  const on = switches.filter(([, value]) => !isOff(value)).map(([name]) => name);
  const parts = switches
    .filter(([, value]) => isTable(value) && !isOff(value) && [...value.values()].some(isOff))
    .map(([name]) => name);
  const asked = off.includes('*')
    ? on
    : isTable(tools) || tools === undefined || tools === null
      ? ['*']
      : namesIn(tools);
  const withheld = [...off.filter((name) => name !== '*'), ...namesIn(denied)];

  const [mayUse, mayNot] = [asked.map(understand), withheld.map(understand)];
  const all = mayUse.some(({ ours }) => ours === 'all');
  const allowed = all ? null : [...new Set(mayUse.flatMap(({ ours }) => (ours === 'all' ? [] : ours)))];
  const none = mayNot.some(({ ours }) => ours === 'all');
  const remarks: Words[] = [];
  const unknown = [...mayUse, ...mayNot].flatMap(({ wanted, ours }) => (ours.length === 0 ? [wanted] : []));
  const has = none ? [] : allowed;
  const understood = has === null ? words('all') : has.length === 0 ? words('none') : verbatim(show(has));
  if (unknown.length > 0)
    remarks.push(
      words('{0} names tools that do not exist here: {1}. Its tools are: {2}.', id, show(unknown), understood),
    );
  const allowedInPart = [...mayUse.filter(({ inPart }) => inPart).map(({ wanted }) => wanted), ...parts];
  if (allowedInPart.length > 0) {
    remarks.push(
      words(
        '{0} limits tools to some uses, which is not possible here: {1}. It has these tools whole; what they do is asked about as always.',
        id,
        show(allowedInPart),
      ),
    );
  }
  const withheldInPart = mayNot.filter(({ inPart }) => inPart).map(({ wanted }) => wanted);
  if (withheldInPart.length > 0) {
    remarks.push(
      words(
        '{0} forbids some uses of tools, which is not possible here: {1}. It does not have these tools at all.',
        id,
        show(withheldInPart),
      ),
    );
  }
  return {
    allowed: has,
    withheld: [...new Set(mayNot.flatMap(({ ours }) => (ours === 'all' ? [] : withRemoval(ours))))],
    remarks,
  };
}

interface Understood {
  readonly wanted: string;
  /** Empty for a name without a meaning here. */
  readonly ours: readonly string[] | 'all';
  /** It names only some uses, as in `Bash(git:*)`. */
  readonly inPart: boolean;
}

function understand(wanted: string): Understood {
  const [, name = '', uses] = /^([^()]*)(\(.*\)?)?$/s.exec(wanted.trim()) ?? [];
  const isAll = uses?.endsWith(')') && ['', '*'].includes(uses.slice(1, -1).trim());
  const inPart = uses !== undefined && !isAll;
  return {
    wanted: cleanForeign(wanted).replace(/\s+/g, ' ').slice(0, LONGEST_NAME),
    ours: ourNames(name.trim()),
    inPart,
  };
}

function ourNames(name: string): readonly string[] | 'all' {
  if (name === '*') return 'all';
  // Claude Code has a separate tool for new files; a lower-case name means both.
  if (name === 'Edit') return [editFile.name];
  const key = name.toLowerCase();
  const known = oursCalled(key);
  if (known.length > 0) return known;
  if (/^mcp__(?:[^*]+|(?:[^*]+__)?\*)$/.test(name)) return [name.replace(/__\*$/, '')];
  if (/^ext__[^*]+$/.test(name)) return [name];
  if (key === 'mcp_*') return ['mcp'];
  const slash = name.lastIndexOf('/');
  const [server, tool] =
    slash > 0
      ? [name.slice(0, slash), name.slice(slash + 1)]
      : (/^mcp_([^_]+)_(.+)$/s.exec(name) ?? /^([^*]+)_(\*)$/s.exec(name) ?? []).slice(-2);
  if (!server || !tool) return [];
  if (slash > 0 && GROUPS.has(server.toLowerCase())) {
    return ourNames(tool === '*' ? server : tool);
  }
  return [tool === '*' ? `mcp__${mcpName(server)}` : `mcp__${mcpName(server)}__${mcpName(tool)}`];
}

/** An agent that may not write may not move or delete either; other programs have no tools for these. */
function withRemoval(ours: readonly string[]): readonly string[] {
  const writing = BUILT_IN_TOOLS.filter(({ toolClass }) => toolClass === 'write');
  if (!writing.some((tool: Tool) => tool.alsoCalled && ours.includes(tool.name))) return ours;
  return [...ours, ...writing.filter((tool: Tool) => !tool.alsoCalled).map(({ name }) => name)];
}

/** The items of a list, or of comma-separated text; commas inside parentheses do not separate. */
function namesIn(value: FrontMatterValue | undefined): readonly string[] {
  const texts =
    typeof value === 'string' ? (value.match(/(?:\([^)]*\)?|[^,(])+/g) ?? []) : Array.isArray(value) ? value : [];
  const names = texts.filter((each): each is string => typeof each === 'string').map((each) => each.trim());
  return names.filter((name) => name !== '');
}

/** The naming of MCP tools here. */
const mcpName = (text: string) => text.replace(/[^A-Za-z0-9_-]/g, '_');

const isTable = (value: FrontMatterValue | undefined): value is ReadonlyMap<string, FrontMatterValue> =>
  value instanceof Map;

/** True when a tool, or all of its uses, is switched off. */
function isOff(value: FrontMatterValue): boolean {
  if (isTable(value)) return value.size > 0 && [...value.values()].every(isOff);
  return readSwitch(value) === false || value === 'deny';
}

const show = (names: readonly string[]) => listSome([...new Set(names)], MOST_SHOWN);

/** A foreign text as a person and a model may read it. */
export const cleanForeign = (text: string) => neutralise(showHidden(text)).toWellFormed();
