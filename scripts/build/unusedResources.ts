/**
 * The clients of the model vendors serve more than the two or three services that are called here: assistants,
 * organisations, files, fine-tuning. Those are most of the packages and cannot be shaken off, because each client makes all of
 * its resources when it is made. In the bundle each becomes an empty class of the same name.
 */

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';

const UNUSED = new RegExp(
  [
    // Messages and models stay.
    /@anthropic-ai\/sdk\/resources\/(?:beta|organization|skills|user-profiles)\/[\w-]+/,
    /@anthropic-ai\/sdk\/resources\/files/,
    /@anthropic-ai\/sdk\/lib\/MessageStream/,
    // Chat, responses and models stay.
    /openai\/resources\/(?:admin|audio|beta|containers|conversations|evals|fine-tuning|graders|live|realtime|safety|skills|uploads|vector-stores|webhooks)\/[\w-]+/,
    /openai\/resources\/(?:batches|content-provenance-checks|decisions|embeddings|files|images|moderations|videos)/,
    /openai\/lib\/(?:ChatCompletionRunner|ChatCompletionStreamingRunner|ChatCompletionStream|responses\/ResponseStream)/,
  ]
    .map(({ source }) => `/node_modules/(?:${source})\\.mjs$`)
    .join('|')
    .replaceAll('\\/', '/')
    .replaceAll('/', '[\\\\/]'),
);

const EXPORTED = /^export (?:class|const|let|var|(?:async )?function\*?) (\w+)/gm;
/** Of the same file, as it is: any service may answer with an error that is told with another one. */
const WHOLE = '?whole';

export const unusedResources: Plugin = {
  name: 'unused resources',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\?whole$/ }, ({ path }) => ({
      path: path.slice(0, -WHOLE.length),
      suffix: WHOLE,
      sideEffects: false,
    }));
    onLoad({ filter: UNUSED }, async ({ path, suffix }) => {
      // One that lists others exports what is left of them.
      if (suffix === WHOLE || basename(path) === 'index.mjs') return;
      const names = [...(await readFile(path, 'utf8')).matchAll(EXPORTED)].flatMap(([, name]) => name ?? []);
      const isError = (name: string) => name.endsWith('Error');
      const errors = names.filter(isError);
      const lines = names.filter((name) => !isError(name)).map((name) => `export class ${name} {}`);
      if (errors.length > 0) lines.push(`export { ${errors.join(', ')} } from ${JSON.stringify(path + WHOLE)};`);
      return { contents: lines.join('\n'), loader: 'js' };
    });
  },
};
