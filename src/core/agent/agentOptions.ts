/** Checks what a program gives to `createAgent`, before anything of an agent is made. */

import * as z from 'zod';
import { DeclaredSettings } from '../compaction/settings/declaredSettings.ts';
import { PORT_NAMES } from '../compaction/strategies/strategyEntry.ts';
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

const CURRENCY: OptionRule = {
  is: (value) => typeof value === 'string' && /^[A-Z]{3}$/.test(value),
  wanted: 'three capital letters, such as USD',
};
const RATES = {
  input: needed({ ...AMOUNT, wanted: 'a number, 0 or more, for a million tokens' }),
  output: needed({ ...AMOUNT, wanted: 'a number, 0 or more, for a million tokens' }),
  cacheRead: AMOUNT,
  cacheWrite: AMOUNT,
  cacheWriteLong: AMOUNT,
};
const TIME: OptionRule = {
  is: (value) => typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value),
  wanted: 'a time of the day in UTC, HH:MM',
};
const PRICE = {
  currency: needed(CURRENCY),
  ...RATES,
  longer: LIST,
  hours: LIST,
  source: needed(oneOf(['settings', 'ownTable', 'endpoint', 'table'])),
  asOf: {
    is: (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
    wanted: 'a day, YYYY-MM-DD',
  },
};
const PRICE_LISTS = {
  longer: { above: needed(AMOUNT), ...RATES },
  hours: { from: needed(TIME), to: needed(TIME), ...RATES },
};

const FILES = ['resolve', 'read', 'write', 'remove', 'move', 'list', 'search', 'find', 'shownOf'] as const;
const WORKSPACE = { files: needed(objectWith(...FILES)), shell: needed(objectWith('run')) };

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
  checkPrice((model as Json).price);
  if (workspace !== undefined) checkOptions(OF, workspace, WORKSPACE, 'workspace.');
  if (events !== undefined) checkOptions(OF, events, EVENTS, 'events.');
  if (compaction !== undefined) checkCompaction(compaction);
  checkTools(tools as readonly unknown[]);
}

function checkPrice(price: unknown): void {
  if (price === undefined) return;
  checkOptions(OF, price, PRICE, 'model.price.');
  for (const [name, rules] of Object.entries(PRICE_LISTS))
    for (const [at, rates] of ((price as Json)[name] as readonly unknown[] | undefined)?.entries() ?? [])
      checkOptions(OF, rates, rules, `model.price.${name}[${at}].`);
}

function checkCompaction(compaction: unknown): void {
  const agents = { ...OBJECT, wanted: 'an object of choices by kind of agent' };
  checkOptions(OF, compaction, { ...CHOICE, agents, consent: FUNCTION }, 'compaction.');
  const all = compaction as Json;
  checkChoice(all, all.strategy, 'compaction.');
  for (const [kind, choice] of Object.entries(all.agents ?? {})) {
    const within = `compaction.agents.${kind}.`;
    checkOptions(OF, choice, CHOICE, within);
    const { strategy, settings } = choice as Json;
    // A kind whose settings name a built-in strategy does not have the one of all.
    const inherited = objectOf(settings).strategy === undefined ? all.strategy : undefined;
    checkChoice(choice as Json, strategy ?? inherited, within);
  }
}

/** `strategy`: the one that the choice is about, of its own or of all kinds. */
function checkChoice({ strategy: own, section }: Json, strategy: unknown, within: string): void {
  if (own !== undefined) checkStrategy(OF, `${within}strategy`, own);
  if (section === undefined || Object.keys(section as Json).length === 0) return;
  if (strategy === undefined)
    throw new TypeError(
      `The option ${within}section of ${OF} belongs to a strategy of your own, and none is given. Values for a built-in one are settings: ${within}settings: { 'llmSummary.preserveRecentMessages': 4 }.`,
    );
  checkDeclared(OF, `${within}section`, section as Json, strategy);
}

/** Throws `TypeError` for ports that it cannot have and settings that it cannot declare. */
export function checkStrategy(of: string, option: string, strategy: unknown): void {
  const { needs = [] } = strategy as Json;
  const isFactory = objectWith('create').is(strategy);
  const ports = PORT_NAMES.join(', ');
  if (!Array.isArray(needs) || (isFactory && (strategy as Json).needs === undefined))
    throw new TypeError(
      `The option ${option} of ${of} has no list needs. It names the ports that it uses, of ${ports}.`,
    );
  const unknown = needs.find((name) => !PORT_NAMES.includes(name));
  if (unknown !== undefined)
    throw new TypeError(
      `The option ${option} of ${of} needs ${String(unknown)}, which is no port: there are ${ports}.`,
    );
  const declared = DeclaredSettings.read(strategy);
  if (!(declared instanceof DeclaredSettings))
    throw new TypeError(`The option ${option} of ${of} cannot be used: ${inEnglish(declared)}.`);
}

/** Throws `TypeError` for a value that the strategy does not declare, or cannot have. */
export function checkDeclared(of: string, option: string, values: Json, strategy: unknown): void {
  const { settings } = DeclaredSettings.of(strategy);
  if (Object.keys(settings).length === 0 && Object.keys(values).length > 0)
    throw new TypeError(
      `The option ${option} of ${of} has ${Object.keys(values).join(', ')}, and the strategy declares no settings. Its factory declares them by name: settings: { longest: { type: 'integer', default: 4000 } }.`,
    );
  checkOptions(of, values, rulesOf(settings), `${option}.`);
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
