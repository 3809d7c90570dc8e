/** Reads one value of a strategy's section. Values were checked where they came from; a missing one has its default. */

export type Section = Readonly<Record<string, unknown>>;

export function numberSetting(section: Section, name: string, fallback: number): number {
  const value = section[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

export function stringSetting(section: Section, name: string, fallback: string): string {
  const value = section[name];
  return typeof value === 'string' ? value : fallback;
}

export function booleanSetting(section: Section, name: string, fallback: boolean): boolean {
  const value = section[name];
  return typeof value === 'boolean' ? value : fallback;
}

export function listSetting(section: Section, name: string, fallback: readonly string[]): readonly string[] {
  const value = section[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : fallback;
}

/** A flat object, as the Settings editor shows it in a grid. */
export function recordSetting(section: Section, name: string): Readonly<Record<string, unknown>> {
  const value = section[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
