/** An editor in Simplified Chinese. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Installs a language pack without translations: the editor stays English, and the product is asked for in Chinese. */
export function useChinese(userDataDir: string): void {
  const write = (name: string, content: object) => writeFileSync(join(userDataDir, name), JSON.stringify(content));
  mkdirSync(join(userDataDir, 'User'));
  write('User/argv.json', { locale: 'zh-cn' });
  write('main.i18n.json', { version: '1.0.0', contents: {} });
  write('languagepacks.json', {
    'zh-cn': {
      hash: 'test',
      extensions: [{ extensionIdentifier: { id: 'test.zh' }, version: '1.0.0' }],
      translations: { vscode: join(userDataDir, 'main.i18n.json') },
      label: '中文',
    },
  });
}
