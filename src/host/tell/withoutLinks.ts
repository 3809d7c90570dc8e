/**
 * VS Code's notifications turn `[text](address)` into a link, and open `command:` addresses too. Texts may come from a
 * provider, a workspace's settings or the name of a file, so links are taken out of them.
 */

export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
