/**
 * An agent in a Markdown file: name, description, tools, model and strategy in the front matter, and the system prompt
 * below. Files written for other programs are read too: their tool names are mapped to the product's, and settings
 * without a meaning here are reported.
 */

import { type FrontMatterValue, readFrontMatter, readSwitch } from '../frontMatter.ts';
import type { ReportSkipped } from '../instructions/sourceFile.ts';
import type { AgentEntry, HeaderItem } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { editFile } from '../tools/builtIn/editFile.ts';
import { recall } from '../tools/builtIn/recall.ts';
import { neutralise } from '../tools/text/neutralise.ts';
import { showHidden } from '../tools/text/showHidden.ts';
import type { Tool } from '../tools/tool.ts';
import { BUILT_IN_TOOLS } from '../tools/toolList.ts';
import { inEnglish, listSome, verbatim, type Words, words } from '../words.ts';

export interface AgentFile {
  /** Its path in the workspace, or a path that begins with `~`. */
  readonly id: string;
  readonly name: string;
  /** For the person who chooses, and for the model that delegates to it. */
  readonly description: string;
  readonly prompt: string;
  /** The product's tool names; null for all tools. */
  readonly tools: readonly string[] | null;
  /** The product's tool names that it may not use, whatever `tools` says. */
  readonly withheld: readonly string[];
  /** Empty for the session's model. */
  readonly model: string;
  /** Id of a compaction strategy; empty for the configured one. */
  readonly strategy: string;
  /** Settings in the file without a meaning here, and how they were read instead. */
  readonly remarks: readonly Words[];
}

/** The present agents, by name; of several with the same name, the first is used. */
export interface AgentFiles {
  list(reportSkipped?: ReportSkipped): Promise<readonly AgentFile[]>;
}

/** Characters. */
export const LONGEST_AGENT_FILE = 100_000;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1_000;
const MOST_SHOWN = 10;

/** Null unless the file has front matter, a name and a prompt. */
export async function readAgentFile(text: string, id: string): Promise<AgentFile | null> {
  if (text.length > LONGEST_AGENT_FILE) return null;
  const read = await readFrontMatter(text);
  if (!read) return null;
  const { fields } = read;
  const line = (name: string, most: number) => {
    const value = fields.get(name);
    const first = Array.isArray(value) ? value[0] : value;
    return typeof first === 'string' ? clean(first).replace(/\s+/g, ' ').slice(0, most).trim() : '';
  };
  const named = /([^/\\]+?)(?:\.agent)?\.md$/i.exec(id)?.[1] ?? '';
  const name = line('name', LONGEST_NAME) || clean(named).slice(0, LONGEST_NAME);
  const prompt = clean(read.body);
  if (name === '' || prompt === '') return null;
  const { allowed, withheld, remarks } = readToolLimits(fields, id);
  const model = line('model', 200);
  const isOthers = OTHERS_MODELS.test(model);
  if (isOthers) {
    remarks.push(
      words('{0} asks for the model {1}, a name of another program. The session’s model is used instead.', id, model),
    );
  }
  return {
    id,
    name,
    prompt,
    description: line('description', LONGEST_DESCRIPTION),
    tools: allowed,
    withheld,
    remarks,
    model: isOthers || /^(?:inherit|default)$/i.test(model) ? '' : model,
    strategy: line('strategy', 200),
  };
}

/** True for tools that the agent may use. Tools that keep its context readable are allowed unless withheld by name. */
export function mayUse({ tools, withheld }: Pick<AgentFile, 'tools' | 'withheld'>, name: string): boolean {
  const isIn = (list: readonly string[]) =>
    list.some((each) => each === name || (/^mcp(?:__|$)/.test(each) && name.startsWith(`${each}__`)));
  return !isIn(withheld) && (tools === null || name === recall.name || isIn(tools));
}

/** Another program's short name for a model, with an optional window. */
const OTHERS_MODELS = /^(?:sonnet|opus|haiku|opusplan)(?:\[[^\]]*\])?$/i;

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

function readToolLimits(fields: ReadonlyMap<string, FrontMatterValue>, id: string): ToolLimits {
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
  const unknown = [...mayUse, ...mayNot].flatMap(({ said, ours }) => (ours.length === 0 ? [said] : []));
  const has = none ? [] : allowed;
  const understood = has === null ? words('all') : has.length === 0 ? words('none') : verbatim(show(has));
  if (unknown.length > 0)
    remarks.push(
      words('{0} names tools that do not exist here: {1}. Its tools are: {2}.', id, show(unknown), understood),
    );
  const allowedInPart = [...mayUse.filter(({ inPart }) => inPart).map(({ said }) => said), ...parts];
  if (allowedInPart.length > 0) {
    remarks.push(
      words(
        '{0} limits tools to some uses, which is not possible here: {1}. It has these tools whole; what they do is asked about as always.',
        id,
        show(allowedInPart),
      ),
    );
  }
  const withheldInPart = mayNot.filter(({ inPart }) => inPart).map(({ said }) => said);
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
  readonly said: string;
  /** Empty for a name without a meaning here. */
  readonly ours: readonly string[] | 'all';
  /** It names only some uses, as in `Bash(git:*)`. */
  readonly inPart: boolean;
}

function understand(said: string): Understood {
  const [, name = '', uses] = /^([^()]*)(\(.*\)?)?$/s.exec(said.trim()) ?? [];
  const isAll = uses?.endsWith(')') && ['', '*'].includes(uses.slice(1, -1).trim());
  const inPart = uses !== undefined && !isAll;
  return { said: clean(said).replace(/\s+/g, ' ').slice(0, LONGEST_NAME), ours: ourNames(name.trim()), inPart };
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

const clean = (text: string) => neutralise(showHidden(text)).toWellFormed();

/**
 * The agent that a session uses. The journal names it; its file is read at the beginning of each turn, so a change
 * applies from the next turn on. Its strategy is taken over when it is chosen, like a model.
 */
export class SessionAgent {
  readonly #journal: Journal;
  readonly #files: AgentFiles | undefined;
  #file: AgentFile | null = null;
  /** Id of the missing agent already reported. */
  #missed: string | null = null;
  readonly #remarked = new Set<string>();

  constructor(journal: Journal, files: AgentFiles | undefined) {
    this.#journal = journal;
    this.#files = files;
  }

  /** As the journal names it; null for the built-in agent. An imported journal chooses no agent here. */
  get chosen(): AgentEntry['agent'] {
    const entry = this.#journal.context.agent;
    return entry && entry.seq > this.#journal.importedTo ? entry.agent : null;
  }

  /** Reads the agent's file again. Returns remarks for the person. */
  async renew(reportSkipped: ReportSkipped): Promise<readonly Words[]> {
    const { chosen } = this;
    // Also read when none is chosen, because tasks may be given to any of them.
    const found = (await this.#files?.list(reportSkipped)) ?? [];
    this.#file = found.find(({ id }) => id === chosen?.id) ?? null;
    if (!chosen || this.#file) this.#missed = null;
    else if (this.#missed !== chosen.id) {
      this.#missed = chosen.id;
      return [words('The agent {0} cannot be read ({1}), so the built-in one answers.', chosen.name, chosen.id)];
    }
    const fresh = (this.#file?.remarks ?? []).filter((said) => !this.#remarked.has(inEnglish(said)));
    for (const said of fresh) this.#remarked.add(inEnglish(said));
    return fresh;
  }

  mayUse(tool: string): boolean {
    return this.#file === null || mayUse(this.#file, tool);
  }

  /** Null where the built-in prompt applies. */
  get prompt(): Omit<HeaderItem, 'tokens'> | null {
    if (!this.#file) return null;
    const { id, prompt } = this.#file;
    return { kind: 'systemPrompt', origin: id, text: prompt, cacheHint: true };
  }
}
