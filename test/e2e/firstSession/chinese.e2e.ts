/** The product in a Simplified Chinese editor: the panel, the palette, a document and the Settings editor. */

import { useChinese } from '../support/chinese.ts';
import { pageFrame } from '../support/host.ts';
import { passStops } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { openSettings, runCommand } from '../support/workbench.ts';

test('a Chinese editor has a Chinese product', async ({ startHost, makeFolder, capture }) => {
  const userDataDir = makeFolder();
  useChinese(userDataDir);
  const host = await startHost({ userDataDir, settings: { 'palimpsest.model': 'demo' } });
  const { page, panel } = host;
  await panel.getByText('可以询问此文件夹中的代码').waitFor();
  await expect(panel.locator('html')).toHaveAttribute('lang', 'zh-cn');
  const composer = panel.getByRole('combobox', { name: '消息' });
  await composer.fill('看一看这个文件夹');
  await composer.press('Enter');
  const more = panel.locator('.more button');
  await passStops(panel, more, '继续');
  await more.click();
  const allow = panel.getByRole('button', { name: '允许', exact: true });
  await passStops(panel, allow, '继续');
  await allow.click();
  await panel.getByRole('button', { name: '发送（Enter）' }).waitFor();
  await capture('chinese-1-turn');
  await panel.getByRole('button', { name: /^压缩策略/ }).click();
  await panel.getByRole('button', { name: /^分层 推荐。/ }).waitFor();
  await panel.locator('.popover').getByRole('button', { name: '更多…' }).click();
  await panel.getByRole('button', { name: /^隐藏工具结果/ }).waitFor();
  await capture('chinese-2-strategies');
  await runCommand(page, 'Palimpsest: 显示上下文');
  await pageFrame(host).getByRole('tab', { name: '总计' }).click();
  await pageFrame(host).getByRole('heading', { name: '总计' }).waitFor();
  await capture('chinese-3-statistics');
  const editor = await openSettings(page, '@ext:palimpsest.palimpsest');
  await editor.locator('.settings-toc-wrapper', { hasText: '摘要' }).waitFor();
  await expect(editor.getByText('新会话使用的模型')).toBeVisible();
  await capture('chinese-4-settings');
});
