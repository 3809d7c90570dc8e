/**
 * What takes the pictures of `npm run shots`: a state that a scenario has reached, in several themes and widths of the
 * panel. Invariant: after a picture the window is as it was, so that the next state starts from the usual looks.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESULTS, ROOT } from '../../../scripts/paths.ts';
import { editFolderSettings, type Host } from '../support/host.ts';
import { expect, test as scenario } from '../support/scenario.ts';

/** Themes of the editor: what the setting calls them, and how the page of a webview tells them apart. */
const THEMES = {
  dark: ['Dark 2026', '.vscode-dark'],
  light: ['Light 2026', '.vscode-light'],
  contrast: ['Default High Contrast', '.vscode-high-contrast:not(.vscode-high-contrast-light)'],
  contrastLight: ['Default High Contrast Light', '.vscode-high-contrast-light'],
} as const;

type Theme = keyof typeof THEMES;
type Width = 250 | 400;

/** `widths` of the panel; a picture of the whole window leaves them as they are. */
export interface Looks {
  readonly themes: readonly Theme[];
  readonly widths: readonly Width[];
}

/** Every theme and both widths: for the states that a person meets all day. */
export const EVERY_LOOK: Looks = { themes: ['dark', 'light', 'contrast', 'contrastLight'], widths: [400, 250] };
/** For what differs from other states by its words only. */
export const ONE_LOOK: Looks = { themes: ['dark'], widths: [400] };
const USUAL: Looks = { themes: ['dark', 'light'], widths: [400, 250] };
const USUAL_WIDTH = 400;

export const VIEWPORT = { width: 1400, height: 900 };

export interface Shots {
  /** What brings a state about. When it fails, the states after it are still tried, and the scenario fails at its end. */
  state(name: string, act: () => Promise<void>): Promise<void>;
  /** The panel as it stands, as `test-results/shots/<name>.<theme>.<width>.png`. */
  panel(host: Host, name: string, looks?: Looks): Promise<void>;
  /** The whole window, as `test-results/shots/<name>.<theme>.png`. */
  window(host: Host, name: string, themes?: readonly Theme[]): Promise<void>;
  /** The whole window as a picture of the README, in `docs/images`. */
  readme(host: Host, name: string, theme: Theme): Promise<void>;
}

export const test = scenario.extend<{ shots: Shots }>({
  viewport: VIEWPORT,
  contextOptions: { reducedMotion: 'reduce' },
  actionTimeout: 15_000,
  shots: async ({ inFront }, use) => {
    const folder = join(RESULTS, 'shots');
    const failures: string[] = [];
    const inThemes = async (host: Host, themes: readonly Theme[], shoot: (theme: Theme) => Promise<unknown>) => {
      for (const theme of themes) {
        await chooseTheme(host, theme);
        await shoot(theme);
      }
      await chooseTheme(host, 'dark');
    };
    const settled = async (host: Host, width?: Width) => {
      if (width) await setWidth(host, width);
      await settle(host);
    };
    await use({
      state: (name, act) =>
        test.step(name, async () => {
          try {
            await act();
          } catch (error) {
            const { page } = inFront;
            // Without a window no further state comes about.
            if (!page || (await page.locator('.monaco-workbench').count()) === 0) throw error;
            failures.push(`${name}: ${error instanceof Error ? error.message : error}`);
            await page.screenshot({ path: join(folder, `failed ${name.replaceAll('/', ' ')}.png`) });
            await page.keyboard.press('Escape');
          }
        }),
      async panel(host, name, { themes, widths } = USUAL) {
        await inThemes(host, themes, async (theme) => {
          for (const width of widths) {
            await settled(host, width);
            await host.page
              .locator('.part.auxiliarybar')
              .screenshot({ path: join(folder, `${name}.${theme}.${width}.png`) });
          }
        });
        await settled(host, USUAL_WIDTH);
      },
      window: (host, name, themes = ['dark', 'light']) =>
        inThemes(host, themes, async (theme) => {
          await settled(host);
          await host.page.screenshot({ path: join(folder, `${name}.${theme}.png`) });
        }),
      readme: (host, name, theme) =>
        inThemes(host, [theme], async () => {
          await settled(host);
          writeFileSync(join(ROOT, 'docs/images', `${name}.webp`), await toWebp(host, await host.page.screenshot()));
        }),
    });
    expect(failures).toEqual([]);

    /** A third of what the same picture takes as PNG. */
    async function toWebp({ page }: Host, png: Buffer): Promise<Buffer> {
      const blank = await page.context().newPage();
      const url = await blank.evaluate(
        async (source) => {
          const image = await createImageBitmap(await (await fetch(source)).blob());
          const canvas = new OffscreenCanvas(image.width, image.height);
          canvas.getContext('2d')?.drawImage(image, 0, 0);
          const bytes = new Uint8Array(
            await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.9 })).arrayBuffer(),
          );
          return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
        },
        `data:image/png;base64,${png.toString('base64')}`,
      );
      await blank.close();
      await page.bringToFront();
      return Buffer.from(url, 'base64');
    }
  },
});

export { expect };

/** By the settings of the folder, which the editor follows at once. */
async function chooseTheme(host: Host, theme: Theme): Promise<void> {
  const [label, selector] = THEMES[theme];
  editFolderSettings(host, { 'workbench.colorTheme': label });
  await host.panel.locator(`body${selector}`).waitFor({ state: 'attached' });
}

/** Drags the edge of the side bar in which the panel is. */
export async function setWidth({ page }: Host, width: Width): Promise<void> {
  const bar = page.locator('.part.auxiliarybar');
  const box = await bar.boundingBox();
  if (!box || Math.abs(box.width - width) <= 2) return;
  const centres = await page.locator('.monaco-sash.vertical').evaluateAll((sashes) =>
    sashes.map((sash) => {
      const { left, width: thickness } = sash.getBoundingClientRect();
      return left + thickness / 2;
    }),
  );
  const nearest = centres.reduce((best, x) => (Math.abs(x - box.x) < Math.abs(best - box.x) ? x : best));
  const y = box.y + box.height / 2;
  await page.mouse.move(nearest, y);
  await page.mouse.down();
  await page.mouse.move(nearest + box.width - width, y, { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(VIEWPORT.width / 2, 4);
}

/** Sizes have settled in the panel and in the workbench. */
async function settle({ page }: Host): Promise<void> {
  await page.evaluate(
    () => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 350)),
  );
}
