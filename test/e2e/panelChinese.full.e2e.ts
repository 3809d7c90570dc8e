/** The product in a Simplified Chinese editor: the panel, the palette, a document and the Settings editor. */

import { equal, ok } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { QUIET_SETTINGS } from '../../scripts/host/codeServer.ts';
import { openPanel, openSettings, runCommand } from './support/actions.ts';
import { panelFrame } from './support/host.ts';
import { scenario } from './support/scenario.ts';

const userDataDir = mkdtempSync(join(tmpdir(), 'pal-zh-'));
after(() => rmSync(userDataDir, { recursive: true, force: true }));

/** A language pack without translations: the editor's own words stay English, ours are asked for in Chinese. */
function chooseChinese(): void {
  const write = (name: string, content: object) => writeFileSync(join(userDataDir, name), JSON.stringify(content));
  const messages = join(userDataDir, 'main.i18n.json');
  mkdirSync(join(userDataDir, 'User'));
  write('User/settings.json', { ...QUIET_SETTINGS, 'palimpsest.model': 'demo' });
  write('User/argv.json', { locale: 'zh-cn' });
  write('main.i18n.json', { version: '1.0.0', contents: {} });
  write('languagepacks.json', {
    'zh-cn': {
      hash: 'test',
      extensions: [{ extensionIdentifier: { id: 'test.zh' }, version: '1.0.0' }],
      translations: { vscode: messages },
      label: '中文',
    },
  });
}

scenario(
  'a Chinese editor has a Chinese product',
  async () => {
    chooseChinese();
    return { userDataDir };
  },
  async ({ page }, screenshot) => {
    await openPanel(page);
    const panel = panelFrame(page);
    await panel.getByText('可以询问此文件夹中的代码').waitFor();
    equal(await panel.locator('html').getAttribute('lang'), 'zh-cn');
    const composer = panel.getByRole('combobox', { name: '消息' });
    await composer.fill('看一看这个文件夹');
    await composer.press('Enter');
    await panel.getByRole('button', { name: '允许', exact: true }).click({ timeout: 60_000 });
    await panel.getByRole('button', { name: '发送 (Enter)' }).waitFor({ timeout: 60_000 });
    await screenshot('chinese-1-turn');
    await panel.getByRole('button', { name: /^压缩策略/ }).click();
    await panel.getByRole('button', { name: /^隐藏工具结果/ }).waitFor();
    await screenshot('chinese-2-strategies');
    await runCommand(page, 'Palimpsest: 显示压缩统计');
    await page.locator('.part.editor .view-lines', { hasText: '压缩次数' }).waitFor();
    await screenshot('chinese-3-statistics');
    const editor = await openSettings(page, '@ext:palimpsest.palimpsest');
    await editor.locator('.settings-toc-wrapper', { hasText: '何时压缩' }).waitFor();
    ok(await editor.getByText('新会话使用的模型').isVisible());
    await screenshot('chinese-4-settings');
  },
);
