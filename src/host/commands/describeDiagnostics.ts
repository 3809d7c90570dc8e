/**
 * What helps to find a fault, as text that a person can look through before they give it away. It holds no key, no message
 * and no file: of a setting that could hold a text it says only that it is set. Pure.
 */

export interface DiagnosticFacts {
  readonly versions: readonly (readonly [name: string, version: string])[];
  /** Every setting that somebody set, with its schema's type. */
  readonly settings: readonly SetSetting[];
  /** Figures of the session on screen; empty without one. */
  readonly session: readonly (readonly [name: string, figure: number | string])[];
  readonly storage: readonly (readonly [name: string, bytes: number])[];
  /** The newest lines of the log. */
  readonly log: readonly string[];
  /** Values that must not appear: keys, the person's home folder and its replacement. */
  readonly hide: readonly (readonly [value: string, shown: string])[];
}

export interface SetSetting {
  readonly name: string;
  readonly value: unknown;
  /** It can only be one of a list that the product itself names. */
  readonly listed: boolean;
}

/** A shorter one is a word, such as the key `ollama` of a local server. */
const SHORTEST = 4;

export function describeDiagnostics({ versions, settings, session, storage, log, hide }: DiagnosticFacts): string {
  const list = (pairs: readonly (readonly [string, string | number])[]) =>
    pairs.map(([name, value]) => `- ${name}: ${value}`);
  const lines = [
    '# Palimpsest: diagnostics',
    '',
    ...list(versions),
    '',
    '## Settings that were changed',
    '',
    ...list(settings.map((setting) => [setting.name, showSetting(setting)])),
    '',
    '## The session on screen',
    '',
    ...list(session),
    '',
    '## Storage, in bytes',
    '',
    ...list(storage),
    '',
    '## The end of the log',
    '',
    '```text',
    ...log.map((line) => line.replaceAll('`', "'")),
    '```',
    '',
  ];
  return hide
    .filter(([value]) => value.length >= SHORTEST)
    .reduce((text, [value, shown]) => text.replaceAll(value, shown), maskTokens(lines.join('\n')));
}

function showSetting({ value, listed }: SetSetting): string {
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value === 'string' && listed) return value;
  if (Array.isArray(value)) return `set, ${value.length} entries`;
  return value === '' ? 'empty' : 'set';
}

/** What looks like a credential, whoever wrote it into the log. */
function maskTokens(text: string): string {
  return text
    .replace(/\b(?:sk|pk|ghp|gho|xox[abp]|AIza|eyJ)[-_A-Za-z0-9.]{12,}/g, '[hidden]')
    .replace(/\b(Bearer|Basic)\s+\S+/gi, '$1 [hidden]')
    .replace(/(https?:\/\/)[^\s/@]+@/g, '$1[hidden]@')
    .replace(/([?&][\w-]*(?:key|token|secret|password)[\w-]*=)[^\s&"']+/gi, '$1[hidden]');
}
