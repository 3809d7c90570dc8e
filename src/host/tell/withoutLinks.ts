/**
 * VS Code's notifications turn `[text](address)` into a link, and open `command:` addresses too. What they are told may
 * come from a provider, a workspace's settings or the name of a file, so no such link is left in it.
 */

export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
