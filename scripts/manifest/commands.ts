/** The manifest's contributions from the table of commands: commands, menus and keys. */

import { factsOf, PANEL_VIEW, REGISTERED_COMMANDS } from '../../src/protocol/commands.ts';
import type { ManifestWords } from './manifestWords.ts';

export function contributeCommands(words: ManifestWords) {
  const commands = REGISTERED_COMMANDS.map((name) => {
    const { title, enablement, icon } = factsOf(name);
    return {
      command: `palimpsest.${name}`,
      title: words.say(`command.${name}`, title ?? ''),
      category: 'Palimpsest',
      ...(enablement ? { enablement } : {}),
      ...(icon ? { icon: `$(${icon})` } : {}),
    };
  });
  const menu = REGISTERED_COMMANDS.flatMap((name) => {
    const { menu: group } = factsOf(name);
    return group ? [{ command: `palimpsest.${name}`, when: `view == ${PANEL_VIEW}`, group }] : [];
  });
  const hidden = REGISTERED_COMMANDS.filter((name) => factsOf(name).palette === false);
  const elsewhere: Record<string, object[]> = {};
  for (const name of REGISTERED_COMMANDS) {
    for (const [menu, place] of Object.entries(factsOf(name).menus ?? {})) {
      elsewhere[menu] = [...(elsewhere[menu] ?? []), { command: `palimpsest.${name}`, ...place }];
    }
  }
  const keybindings = REGISTERED_COMMANDS.flatMap((name) =>
    (factsOf(name).keys ?? []).map((keys) => ({ command: `palimpsest.${name}`, ...keys })),
  );
  return {
    commands,
    keybindings,
    menus: {
      ...elsewhere,
      commandPalette: hidden.map((name) => ({ command: `palimpsest.${name}`, when: 'false' })),
      'view/title': menu.sort((a, b) => (place(a.group) < place(b.group) ? -1 : 1)),
    },
  };
}

/** The icons come first. */
const place = (group: string) => group.replace(/^navigation/, '0');
