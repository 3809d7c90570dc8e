/** Pictures of windows that need a server of their own: a folder that is not trusted, and an editor in Chinese. */

import { useChinese } from '../support/chinese.ts';
import { pageFrame } from '../support/host.ts';
import { openSettings, runCommand } from '../support/workbench.ts';
import { ONE_LOOK, test } from './shooting.ts';
import * as story from './story.ts';

test('restricted mode', async ({ startHost, shots, atEnd }) => {
  const { server, host: options } = await story.startStory();
  atEnd(() => server.close());
  const host = await startHost({ ...options, workspaceTrust: true });
  await shots.state('restricted', async () => {
    await shots.panel(host, '80-restricted', ONE_LOOK);
  });
});

test('restricted mode in chinese', async ({ startHost, shots, makeFolder, atEnd }) => {
  const { server, host: options } = await story.startStory();
  atEnd(() => server.close());
  const userDataDir = makeFolder();
  useChinese(userDataDir);
  const host = await startHost({ ...options, userDataDir, workspaceTrust: true });
  await shots.state('restricted', async () => {
    await shots.panel(host, '98-chinese-restricted', ONE_LOOK);
  });
});

test('chinese', async ({ startHost, shots, makeFolder, atEnd }) => {
  const { server, host: options } = await story.startStory();
  atEnd(() => server.close());
  const userDataDir = makeFolder();
  useChinese(userDataDir);
  const host = await startHost({ ...options, userDataDir });
  const { page, panel } = host;
  const composer = panel.getByRole('combobox', { name: '消息' });
  const allow = panel.getByRole('button', { name: '允许', exact: true });
  const idle = () => panel.getByRole('button', { name: '发送（Enter）' }).waitFor();
  await shots.state('an edit asks', async () => {
    server.planAgain(...story.READING, story.EDIT, { text: '已改为每次失败后加倍等待。' }, story.SUMMARY);
    await composer.fill('重试测试失败了。请找出原因并修复。');
    await composer.press('Enter');
    await allow.waitFor();
    await shots.panel(host, '90-chinese-edit-asks');
    await allow.click();
    await idle();
  });
  await shots.state('compacted', async () => {
    await composer.fill('/compact ');
    await composer.press('Enter');
    await panel.locator('.compaction-toggle').first().click();
    await panel.locator('.lost-and-kept').waitFor();
    await idle();
    await shots.panel(host, '91-chinese-compacted');
    await panel.locator('.meter').first().click();
    await shots.panel(host, '92-chinese-meter', ONE_LOOK);
    await page.keyboard.press('Escape');
  });
  await shots.state('pages', async () => {
    await runCommand(page, 'Palimpsest: 显示上下文');
    await pageFrame(host).getByRole('tab', { name: '总计' }).click();
    await pageFrame(host).getByRole('heading', { name: '总计' }).waitFor();
    await shots.window(host, '93-chinese-statistics', ['dark']);
    await pageFrame(host).getByRole('tab', { name: '时间线' }).click();
    await pageFrame(host).getByRole('heading', { name: '时间线' }).waitFor();
    await shots.window(host, '94-chinese-timeline', ['dark']);
    await openSettings(page, '@ext:palimpsest.palimpsest');
    await shots.window(host, '95-chinese-settings', ['dark']);
    await page.keyboard.press('Escape');
  });
  await shots.state('lists', async () => {
    for (const [name, command] of [
      ['approvals', '审批…'],
      ['servers', 'MCP 服务器…'],
      ['memory', '显示记忆…'],
      ['export', '导出会话…'],
      ['import', '导入会话…'],
      ['care', '会话维护…'],
      ['hand-off', '交接到新会话…'],
      ['restore', '恢复检查点…'],
      ['background', '后台命令…'],
    ] as const) {
      await runCommand(page, `Palimpsest: ${command}`);
      await shots.window(host, `96-chinese-${name}`, ['dark']);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
    }
  });
  await shots.state('a command in a terminal, a subagent, history and editor tab', async () => {
    const run = { name: 'run_command', arguments: { command: 'node --version' } };
    const task = { name: 'task', arguments: { title: '查找调用处', prompt: '列出文件。' } };
    server.planAgain(
      { text: '', calls: [run] },
      { text: '', calls: [task] },
      { text: '三个文件。' },
      { text: '完成。' },
    );
    await composer.fill('看看用的是哪个版本。');
    await composer.press('Enter');
    await allow.waitFor();
    await shots.panel(host, '97-chinese-command', ONE_LOOK);
    await allow.click();
    await idle();
    await shots.panel(host, '97-chinese-subagent', ONE_LOOK);
    await runCommand(page, 'Palimpsest: 显示历史记录');
    await shots.panel(host, '97-chinese-history', ONE_LOOK);
    await page.keyboard.press('Escape');
    await runCommand(page, 'Palimpsest: 在编辑器标签页中打开面板');
    await shots.window(host, '97-chinese-editor-tab', ['dark']);
  });
});
