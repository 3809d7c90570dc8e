/**
 * The only file that names the component library, so that changing to its successor is a one-file change. It is used
 * for form controls, never per message.
 */

import {
  provideVSCodeDesignSystem,
  vsCodeBadge,
  vsCodeButton,
  vsCodeDivider,
  vsCodeProgressRing,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';

export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(
    vsCodeBadge(),
    vsCodeButton(),
    vsCodeDivider(),
    vsCodeProgressRing(),
    vsCodeTextField(),
  );
}
