/**
 * The only file that names the component library, so that changing to its successor affects one file. It is used for
 * buttons and text fields of questions, never per message.
 */

import { provideVSCodeDesignSystem, vsCodeButton, vsCodeTextField } from '@vscode/webview-ui-toolkit';

export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeTextField());
}
