import { openPanel } from './support/actions.ts';
import { panelFrame } from './support/host.ts';
import { scenario } from './support/scenario.ts';

scenario('the package installs and the panel opens', {}, async ({ page }, screenshot) => {
  await openPanel(page);
  await panelFrame(page).getByText('Palimpsest').first().waitFor();
  await screenshot('install-panel');
});
