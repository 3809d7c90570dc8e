/**
 * The only file that names the component library, so that changing to its successor is a one-file change. It is used
 * for buttons and text fields that ask for something, never per message.
 */

import { provideVSCodeDesignSystem, vsCodeButton, vsCodeTextField } from '@vscode/webview-ui-toolkit';

export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeTextField());
}
