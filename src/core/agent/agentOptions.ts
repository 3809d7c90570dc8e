/** Checks what a program gives to `createAgent`, before anything of an agent is made. */

import * as z from 'zod';
import { isObject, type Json, objectOf } from '../json.ts';
import { EFFORTS } from '../model/modelClient.ts';
import {
  AMOUNT,
  checkOptions,
  FUNCTION,
  LIST,
  needed,
  OBJECT,
  type OptionRule,
  objectWith,
  oneOf,
  TEXT,
  YES_OR_NO,
} from '../options.ts';
import { describeFault, type Settings } from '../setting.ts';
import { inEnglish } from '../words.ts';
import { HOOKS } from './hookSettings.ts';
import { AGENT_SECTIONS, type AgentSettings, DEFAULT_AGENT_SETTINGS } from './settings.ts';

const OF = 'createAgent';
const NAME: OptionRule = { is: (value) => typeof value === 'string', wanted: 'a text' };

/** A strategy of one's own, as `createAgent` and `compactInPi` take it. */
export const STRATEGY: OptionRule = {
  is: (value) => objectWith('create').is(value) || objectWith('compact').is(value),
  wanted: 'a strategy, which is an object with compact, or its factory, an object with needs and create',
};

export const AGENT_OPTIONS = {
  model: needed({ ...OBJECT, wanted: 'an object with client, model and window' }),
  tools: needed({ ...LIST, wanted: 'a list of tools, empty for none' }),
  workspace: OBJECT,
  journal: objectWith('append'),
  store: objectWith('append', 'sync', 'close'),
  entries: LIST,
  blobs: needed(objectWith('put', 'get')),
  system: needed({ ...OBJECT, wanted: 'an object with clock, crypto, timers and log, such as nodeSystem() returns' }),
  kind: NAME,
  compaction: OBJECT,
  approver: objectWith('ask'),
  systemPrompt: NAME,
  settings: OBJECT,
  events: OBJECT,
} as const;

const MODEL = {
  client: needed({ ...objectWith('stream'), wanted: 'a client, such as createEndpointClient returns' }),
  model: needed(TEXT),
  window: needed({ ...AMOUNT, wanted: 'a number of tokens, 0 for an unknown window' }),
  windowFrom: oneOf(['settings', 'server', 'table', 'default']),
  maxOutputTokens: AMOUNT,
  effort: oneOf(EFFORTS),
  images: YES_OR_NO,
  local: YES_OR_NO,
  cacheLivesMs: AMOUNT,
  price: OBJECT,
};

const SYSTEM = {
  clock: needed(objectWith('now')),
  crypto: needed(objectWith('sha256', 'randomHex', 'crc32')),
  timers: needed(objectWith('after')),
  log: needed(FUNCTION),
};

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const TOOL = {
  name: needed({
    is: (value) => typeof value === 'string' && TOOL_NAME.test(value),
    wanted: 'up to 64 letters, digits, hyphens and underscores',
  }),
  toolClass: needed(oneOf(['read', 'write', 'run', 'network', 'mcp'])),
  description: needed(NAME),
  input: needed({ ...objectWith('safeParse'), wanted: 'a schema of zod' }),
  prepare: needed(FUNCTION),
};

const CHOICE = {
  strategy: {
    ...STRATEGY,
    wanted: `${STRATEGY.wanted}; a built-in one is named in the settings: compaction: { settings: { strategy: 'llm-summary' } }`,
  },
  settings: { ...OBJECT, wanted: 'an object of settings and their values' },
  section: { ...OBJECT, wanted: 'an object of the settings that the strategy declares' },
};

const EVENTS = { onTurn: FUNCTION, onProgress: FUNCTION, onCompaction: FUNCTION };

/** Throws `TypeError` naming the option. Settings of compaction have checks of their own. */
export function checkAgentOptions(options: unknown): void {
  // A program spreads all that openStorage returns into its options.
  const { id: _, close: __, ...own } = objectOf(options);
  checkOptions(OF, isObject(options) ? own : options, AGENT_OPTIONS);
  const { model, system, workspace, events, compaction, tools, journal, store } = options as Json;
  if (journal === undefined && store === undefined)
    throw new TypeError(`${OF} needs the option journal or store, such as memoryStorage() returns.`);
  checkOptions(OF, model, MODEL, 'model.');
  checkOptions(OF, system, SYSTEM, 'system.');
  if (workspace !== undefined)
    checkOptions(OF, workspace, { files: needed(OBJECT), shell: needed(OBJECT) }, 'workspace.');
  if (events !== undefined) checkOptions(OF, events, EVENTS, 'events.');
  if (compaction !== undefined) checkCompaction(compaction);
  checkTools(tools as readonly unknown[]);
}

function checkCompaction(compaction: unknown): void {
  const agents = { ...OBJECT, wanted: 'an object of choices by kind of agent' };
  checkOptions(OF, compaction, { ...CHOICE, agents, consent: FUNCTION }, 'compaction.');
  for (const [kind, choice] of Object.entries((compaction as Json).agents ?? {}))
    checkOptions(OF, choice, CHOICE, `compaction.agents.${kind}.`);
}

function checkTools(tools: readonly unknown[]): void {
  const names = new Set<unknown>();
  for (const [at, tool] of tools.entries()) {
    const within = `tools[${at}].`;
    const given = isObject(tool) ? Object.fromEntries(Object.keys(TOOL).map((name) => [name, tool[name]])) : tool;
    checkOptions(OF, given, TOOL, within);
    const { name } = tool as Json;
    if (names.has(name)) throw new TypeError(`The option tools of ${OF} has two tools with the name ${name}.`);
    names.add(name);
  }
}

/** Settings of an agent by section, as far as a program gives them. */
export type GivenAgentSettings = {
  readonly [Section in keyof AgentSettings]?: AgentSettings[Section] extends readonly unknown[]
    ? AgentSettings[Section]
    : Partial<AgentSettings[Section]>;
};

/** `given` on top of `base` and of the defaults. Throws `TypeError` for an unknown setting and for a value that it cannot have. */
export function completeAgentSettings(given: GivenAgentSettings, base: Partial<AgentSettings>): AgentSettings {
  const sections: Readonly<Record<string, { readonly fields: Settings }>> = AGENT_SECTIONS;
  const values: Record<string, unknown> = { ...DEFAULT_AGENT_SETTINGS, ...base };
  const isSection = { ...OBJECT, wanted: 'an object of settings and their values' };
  checkOptions(
    OF,
    given,
    { ...rulesOf(HOOKS.fields), ...Object.fromEntries(Object.keys(sections).map((name) => [name, isSection])) },
    'settings.',
  );
  for (const [name, value] of Object.entries(given)) {
    const section = sections[name];
    if (value === undefined) continue;
    if (section) checkOptions(OF, value, rulesOf(section.fields), `settings.${name}.`);
    values[name] = section ? { ...(values[name] as Json), ...withoutGaps(value as Json) } : value;
  }
  return values as unknown as AgentSettings;
}

const withoutGaps = (values: Json) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const rulesOf = (fields: Settings): Readonly<Record<string, OptionRule>> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { schema }]) => [
      name,
      {
        is: (value) => schema.safeParse(value).success,
        wanted: (value) => inEnglish(describeFault(schema.safeParse(value).error ?? new z.ZodError([]))),
      },
    ]),
  );
