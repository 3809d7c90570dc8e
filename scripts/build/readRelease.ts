/** The version that a tag publishes, or why it cannot. Pure: the caller reads the files. */

export interface Manifest {
  readonly version: string;
  readonly publisher: string;
  readonly repository: { readonly url: string };
  readonly bugs: { readonly url: string };
  readonly homepage: string;
}

export type Release =
  | {
      readonly kind: 'ready';
      /** The section of the version, in Markdown. */
      readonly notes: string;
      /** An odd minor version is a pre-release, as the galleries advise. */
      readonly prerelease: boolean;
    }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

/** Stands in `package.json` for the owner of the public repository until there is one. */
export const PLACEHOLDER = 'OWNER';

/** `untranslated`: in lines, texts and Chinese sentences that do not fit each other. */
export function readRelease(
  tag: string,
  manifest: Manifest,
  changelog: string,
  untranslated: readonly string[] = [],
): Release {
  const { version } = manifest;
  const notes = sectionOf(changelog, version);
  const places = [manifest.repository.url, manifest.bugs.url, manifest.homepage];
  const reasons = [
    ...(tag === `v${version}` ? [] : [`the tag is '${tag}' and the version ${version}: the tag must be v${version}`]),
    ...(notes === '' ? [`CHANGELOG.md has nothing in a section [${version}]`] : []),
    ...(sectionOf(changelog, 'Unreleased') === ''
      ? []
      : [`CHANGELOG.md has changes under [Unreleased]: move them to the section [${version}]`]),
    ...(places.some((place) => place.split('/').includes(PLACEHOLDER))
      ? [`package.json names ${PLACEHOLDER} in place of the owner of the repository`]
      : []),
    ...(untranslated.length ? [untranslated.join('\n')] : []),
  ];
  if (reasons.length) return { kind: 'refused', reasons };
  return { kind: 'ready', notes, prerelease: Number(version.split('.')[1]) % 2 === 1 };
}

/** The text below the heading of a version; empty without such a heading. */
function sectionOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const found = sections.find((section) => section.startsWith(`[${version}]`)) ?? '';
  return found.slice(found.indexOf('\n') + 1).trim();
}
