/**
 * Serves the real panel on loopback, with the page and content policy that the extension gives it, a theme's colours,
 * and a stand-in for the editor's end of the bridge. Invariant: the panel's own code is built from the sources,
 * unchanged.
 */

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { LAZY_NAMES, LAZY_SCRIPTS } from '../../../scripts/build/buildProduct.ts';
import { makeIcons } from '../../../scripts/build/makeIcons.ts';
import { panelHtml } from '../../../src/node/panel/panelHtml.ts';
import { bodyClass, type ThemeName, themeCss } from './themes.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The panel, or a page in an editor tab. */
type Script = 'main' | 'pages';

export interface ServedPanel {
  readonly origin: string;
  /** Address of the panel, or of a page in an editor tab, in a theme and language. */
  url(options?: {
    readonly theme?: ThemeName;
    readonly language?: string;
    readonly script?: Script;
    readonly clock?: 'still' | 'real';
  }): string;
  close(): Promise<void>;
}

/**
 * Keeps what the panel posts in `posted`, and what it has kept in `kept`, delivers what is set with `deliver`, and collects policy violations. The panel's
 * clock stands still at `now`, unless the page is asked for with its real one.
 */
const BRIDGE = `
  window.now = 1_000;
  if (!location.search.includes('clock=real')) performance.now = () => window.now;
  window.posted = [];
  window.kept = {};
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective + ' ' + event.blockedURI));
  window.deliver = (frame) => window.postMessage(frame, '*');
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => {
      const sent = structuredClone(message);
      if (sent.type === 'focused') return;
      if (sent.type !== 'keep') return window.posted.push(sent);
      window.kept[sent.sessionId] = { ...sent.kept, images: sent.images ?? window.kept[sent.sessionId]?.images ?? [] };
    },
    getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
    setState: (state) => sessionStorage.setItem('state', JSON.stringify(state)),
  });
  document.body.className = document.currentScript.dataset.theme;
  document.body.dataset.vscodeThemeKind = document.currentScript.dataset.theme;
`;

/** `entry`: the script of the page; by default the panel's own. */
export async function servePanel(entry = 'webview/main.ts'): Promise<ServedPanel> {
  const bundle = await build({
    absWorkingDir: ROOT,
    entryPoints: { main: entry, pages: 'webview/pages.ts', ...LAZY_SCRIPTS },
    external: LAZY_NAMES,
    bundle: true,
    format: 'esm',
    write: false,
    outdir: 'out',
    target: 'chrome138',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const built = (name: string) => bundle.outputFiles.find(({ path }) => path.endsWith(name))?.contents ?? '';
  const icons = await makeIcons(
    ['main.js', 'pages.js'].map((name) => bundle.outputFiles.find(({ path }) => path.endsWith(name))?.text ?? ''),
  );
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://panel');
    const send = (type: string, body: string | Uint8Array) =>
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
    const theme = (searchParams.get('theme') ?? 'dark') as ThemeName;
    switch (pathname) {
      case '/':
        return send('text/html', await page(theme, searchParams.get('language') ?? 'en', origin, 'main'));
      case '/pages':
        return send('text/html', await page(theme, searchParams.get('language') ?? 'en', origin, 'pages'));
      case '/main.js':
      case '/pages.js':
      case '/colours.js':
      case '/mathMl.js':
        return send('text/javascript', built(pathname));
      case '/main.css':
      case '/pages.css':
        return send('text/css', built(pathname));
      case '/theme.css':
        return send('text/css', themeCss(theme));
      case '/codicon.css':
        return send('text/css', icons.style);
      case '/codicon.ttf':
        return send('font/ttf', icons.font);
      default:
        return response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: ({ theme = 'dark', language = 'en', script = 'main', clock = 'still' } = {}) =>
      `${origin}/${script === 'main' ? '' : script}?theme=${theme}&language=${language}&clock=${clock}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function page(theme: ThemeName, code: string, origin: string, script: Script): Promise<string> {
  const assets = { script: `/${script}.js`, style: `/${script}.css`, icons: '/codicon.css', cspSource: origin };
  const bundle = join(ROOT, `l10n/bundle.l10n.${code}.json`);
  const translations = code === 'en' ? undefined : JSON.parse(await readFile(bundle, 'utf8'));
  return panelHtml(assets, { code, translations }, 'harness')
    .replace('<link', `<link rel="stylesheet" href="/theme.css?theme=${theme}">\n<link`)
    .replace(
      '<div id="panel">',
      `<script nonce="harness" data-theme="${bodyClass(theme)}">${BRIDGE}</script>\n<div id="panel">`,
    );
}
