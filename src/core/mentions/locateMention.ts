/** Finds out whether a mention names something that exists, without reading it. */

import { ToolError } from '../errors.ts';
import { isSecretPath } from '../secrets/secretPaths.ts';
import { type Words, words } from '../words.ts';
import type { FileFacts, Files } from '../workspace/files.ts';
import { type Mention, type MentionTarget, type NamedPlace, placesOf } from './mention.ts';
import type { MentionPorts, MentionSources } from './mentionSources.ts';

export type FoundThing =
  | Exclude<MentionTarget, { kind: 'path' }>
  | { readonly kind: 'place'; readonly place: NamedPlace; readonly facts: FileFacts };

export type Located =
  /** `secret`: its text is sent to a model only after a warning to the person. */
  | { readonly kind: 'found'; readonly thing: FoundThing; readonly secret: boolean }
  | { readonly kind: 'missing'; readonly reason: Words }
  /** The words were not meant as a mention. */
  | { readonly kind: 'plain' };

const found = (thing: FoundThing): Located => ({ kind: 'found', thing, secret: false });

const missing = (reason: Words): Located => ({ kind: 'missing', reason });

export async function locateMention(
  { name, deliberate, target }: Mention,
  { files, language, git }: MentionPorts,
  sources: MentionSources,
): Promise<Located> {
  switch (target.kind) {
    case 'problems':
      return language ? found(target) : missing(words('{0} needs an open folder.', `@${name}`));
    case 'changes':
      return git ? found(target) : missing(words('{0} needs git and a folder that you trust.', `@${name}`));
    case 'terminal':
      if (!sources.terminal) return { kind: 'plain' };
      return sources.terminal.hasOutput
        ? found(target)
        : missing(
            words(
              'No command has been seen in a terminal yet. Its output is known when it is run in a terminal with shell integration.',
            ),
          );
    case 'terminal:selection':
      return sources.terminal ? found(target) : { kind: 'plain' };
    case 'session':
      return sources.session ? found(target) : { kind: 'plain' };
    case 'symbol':
      return language ? found(target) : { kind: 'plain' };
    case 'resource':
      if (!sources.mcp) return { kind: 'plain' };
      return sources.mcp.knows(target.server)
        ? found(target)
        : missing(words('There is no MCP server {0} that is allowed to run.', target.server));
    case 'path':
      return locatePath(target.path, deliberate, files);
  }
}

async function locatePath(path: string, deliberate: boolean, files: Files): Promise<Located> {
  if (files.root === null) {
    return deliberate ? missing(words('No folder is open, so there is no {0}.', path)) : { kind: 'plain' };
  }
  let isClosed = false;
  for (const place of placesOf(path)) {
    const facts = await resolve(place.path, files);
    isClosed = facts === 'closed';
    if (facts === 'closed' || !facts.exists) continue;
    const wants = place.lines ?? place.symbol;
    if (facts.type === 'other') return missing(words('{0} is neither a file nor a folder.', facts.shown));
    if (facts.type === 'folder' && wants !== null) continue;
    const secret = facts.guarded || isSecretPath(facts.shown) || isSecretPath(facts.real);
    return { kind: 'found', thing: { kind: 'place', place, facts }, secret };
  }
  if (!deliberate) return { kind: 'plain' };
  return missing(
    isClosed
      ? words('{0} is not in the open folder, or it is where nothing is read.', path)
      : words('There is no file or folder {0}.', path),
  );
}

/** `closed`: the path leads out of the workspace, or to something that no tool reads. */
async function resolve(path: string, files: Files): Promise<FileFacts | 'closed'> {
  try {
    return await files.resolve(path);
  } catch (thrown) {
    if (thrown instanceof ToolError) return 'closed';
    throw thrown;
  }
}
