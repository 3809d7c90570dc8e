/**
 * Fills in the placeholders of a configuration: secrets, environment variables and folders. A secret is passed only to
 * the server that asked for it.
 */

import { basename, sep } from 'node:path';
import { UserFacingError } from '../../core/errors.ts';
import { words } from '../../core/words.ts';
import { isSecretName } from '../shell/commandEnvironment.ts';
import type { ServerConfig } from './serverConfig.ts';

interface FillSources {
  /** Asks the person when it is not stored. Null when they cancelled. */
  readonly secret: (name: string) => Promise<string | null>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly home: string;
}

interface FilledIn {
  readonly config: ServerConfig;
  /** Values that must appear nowhere. */
  readonly secrets: readonly string[];
}

const PLACE = /\$\{([^${}]{1,500})\}/g;
const VARIABLE = /^([A-Za-z_]\w*)(?::-(.*))?$/s;

/** Names of the environment variables that are passed on, in order. */
export function variablesIn(config: ServerConfig): readonly string[] {
  return [...new Set(placesIn(config).flatMap((place) => variableOf(place)?.name ?? []))];
}

/** Names of the requested secrets, in order. */
export function secretsIn(config: ServerConfig): readonly string[] {
  return [...new Set(placesIn(config).flatMap((place) => secretOf(place) ?? []))];
}

/** Throws `UserFacingError` when a placeholder cannot be filled in. */
export async function fillIn(config: ServerConfig, sources: FillSources): Promise<FilledIn> {
  const values = new Map<string, string>();
  const secrets: string[] = [];
  for (const place of new Set(placesIn(config))) {
    const value = await valueAt(place, sources);
    values.set(place, value);
    const variable = variableOf(place)?.name;
    if (secretOf(place) !== null || (variable !== undefined && isSecretName(variable))) secrets.push(value);
  }
  const fill = (text: string) => text.replace(PLACE, (_, place: string) => values.get(place) ?? '');
  return { config: mapTexts(config, fill), secrets: secrets.filter((secret) => secret !== '') };
}

function mapTexts(config: ServerConfig, fill: (text: string) => string): ServerConfig {
  const all = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, fill(value)]));
  if (config.kind === 'http') return { ...config, url: fill(config.url), headers: all(config.headers) };
  const { command, args, env, cwd } = config;
  return {
    ...config,
    command: fill(command),
    args: args.map(fill),
    env: all(env),
    cwd: cwd === null ? null : fill(cwd),
  };
}

function placesIn(config: ServerConfig): string[] {
  const places: string[] = [];
  mapTexts(config, (text) => {
    for (const [, place = ''] of text.matchAll(PLACE)) places.push(place);
    return text;
  });
  return places;
}

async function valueAt(place: string, sources: FillSources): Promise<string> {
  const asked = secretOf(place);
  if (asked !== null) {
    const value = await sources.secret(asked);
    if (value === null) throw new UserFacingError(words('The secret {0} was not given.', asked));
    return value;
  }
  const known = KNOWN.get(place);
  if (known) return known(sources);
  const variable = variableOf(place);
  if (!variable)
    throw new UserFacingError(words('Its configuration has {0}, which is not known here.', `\${${place}}`));
  return sources.environment[variable.name] ?? variable.otherwise;
}

/** Other programs' inputs are secrets here. */
function secretOf(place: string): string | null {
  return /^(?:secret|input):([\w.-]{1,100})$/.exec(place)?.[1] ?? null;
}

const KNOWN = new Map<string, (sources: FillSources) => string>([
  ['workspaceFolder', ({ folder }) => folder],
  ['workspaceFolderBasename', ({ folder }) => basename(folder)],
  ['userHome', ({ home }) => home],
  ['pathSeparator', () => sep],
  ['/', () => sep],
]);

function variableOf(place: string): { readonly name: string; readonly otherwise: string } | null {
  const named = place.startsWith('env:') ? place.slice('env:'.length) : place;
  const [, name, otherwise = ''] = VARIABLE.exec(named) ?? [];
  return name === undefined || KNOWN.has(place) ? null : { name, otherwise };
}
