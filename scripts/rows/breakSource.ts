/** Breaks one behaviour in the source as tests load it; the file itself stays as it is. */

/** `file` relative to the repository; the one place in it where `replace` stands gets `by`. */
export interface Break {
  readonly row: string;
  readonly file: string;
  readonly replace: string;
  readonly by: string;
}

/** A plugin of Vite for a break as JSON. */
export function breakSource(json: string) {
  const { file, replace, by }: Break = JSON.parse(json);
  return {
    name: 'break-source',
    enforce: 'pre' as const,
    transform: (code: string, id: string) =>
      id.replaceAll('\\', '/').split('?')[0]?.endsWith(`/${file}`) ? code.replace(replace, () => by) : null,
  };
}
