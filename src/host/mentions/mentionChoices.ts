/**
 * Completions after `@` in the composer: open and recent files first, then the kinds of mentions, files and folders by
 * path, and symbols, sessions and resources once their prefix is typed. Ignored files are not offered.
 */

import * as vscode from 'vscode';
import { ToolError } from '../../core/errors.ts';
import { SESSION_PREFIX, type Standing, writeMention, writePathMention } from '../../core/mentions/mention.ts';
import { rankPaths } from '../../core/mentions/rankPaths.ts';
import { isSecretPath } from '../../core/secrets/secretPaths.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { MENTION_ICONS, type MentionChoice } from '../../protocol/messages.ts';
import type { ServerContent } from '../mcp/serverContent.ts';
import type { Mentions } from './mentions.ts';

type MentionIcon = MentionChoice['icon'];

const MOST_CHOICES = 50;
const MOST_FILES = 50_000;

/** How long a list of files is reused, in milliseconds. */
const FRESH_MS = 5_000;
const MOST_OPEN = 6;
const MOST_OTHERS = 8;
const LONGEST = 200;

export class MentionChoices {
  readonly #mentions: Mentions;
  readonly #content: ServerContent;
  readonly #shown: () => string | undefined;
  #listed: { readonly at: number; readonly paths: Promise<readonly string[]> } | null = null;
  #asked = new AbortController();

  /** `shown`: id of the session on screen, which is not offered. */
  constructor(mentions: Mentions, content: ServerContent, shown: () => string | undefined) {
    this.#mentions = mentions;
    this.#content = content;
    this.#shown = shown;
  }

  /** A newer question ends an older one, which then throws an abort. */
  async complete(typed: string): Promise<readonly MentionChoice[]> {
    this.#asked.abort();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    if (typed.startsWith('#')) return this.#symbols(typed.slice(1), signal);
    if (typed.toLowerCase().startsWith(SESSION_PREFIX))
      return this.#sessions(typed.slice(SESSION_PREFIX.length), signal);
    const paths = await this.#paths();
    signal.throwIfAborted();
    const open = (await this.#mentions.open.list(this.#mentions.ports.files)).filter((path) => paths.includes(path));
    signal.throwIfAborted();
    const resources = this.#resources(typed);
    if (typed === '') {
      const others = rankPaths(
        paths.filter((path) => !open.includes(path) && !isSecretPath(path)),
        '',
        { most: MOST_OTHERS },
      );
      return [
        ...open.slice(0, MOST_OPEN).map(chooseFile),
        ...this.#kinds(''),
        ...others.map(chooseFile),
        ...resources,
      ].slice(0, MOST_CHOICES);
    }
    const places = rankPaths([...foldersOf(paths), ...paths], typed, { recent: open, most: MOST_CHOICES });
    return [...this.#kinds(typed), ...places.map(chooseFile), ...resources].slice(0, MOST_CHOICES);
  }

  #kinds(typed: string): MentionChoice[] {
    const sought = typed.toLowerCase();
    const { language, git } = this.#mentions.ports;
    const standing = (mention: Standing, icon: MentionIcon, detail: string): MentionChoice => ({
      insert: `@${mention}`,
      label: mention,
      detail,
      icon,
      more: false,
    });
    const prefix = (insert: string, label: string, icon: MentionIcon, detail: string): MentionChoice => ({
      insert,
      label,
      detail,
      icon,
      more: true,
    });
    const kinds: MentionChoice[] = [
      ...(language ? [standing('problems', 'warning', vscode.l10n.t('Errors and warnings'))] : []),
      ...(git ? [standing('changes', 'git-compare', vscode.l10n.t('Since the last commit'))] : []),
      standing('terminal', 'terminal', vscode.l10n.t('The last command and its output')),
      standing('terminal:selection', 'terminal', vscode.l10n.t('What is selected there')),
      ...(language ? [prefix('@#', 'symbols', 'symbol-method', vscode.l10n.t('By name…'))] : []),
      prefix(`@${SESSION_PREFIX}`, 'sessions', 'history', vscode.l10n.t('Earlier ones, by their title…')),
    ];
    return kinds.filter(({ label }) => label.startsWith(sought));
  }

  async #symbols(typed: string, signal: AbortSignal): Promise<MentionChoice[]> {
    const { language } = this.#mentions.ports;
    if (!language || typed === '') return [];
    const { found } = await orNothing(() => language.symbolsNamed(typed, signal), { found: [], outside: 0 });
    signal.throwIfAborted();
    return found.slice(0, MOST_CHOICES).map(({ name, kind, path, line, container }) => {
      const bare = name.replace(/\(.*$/u, '');
      return {
        insert: writePathMention(path, `#${bare}`),
        label: short(bare),
        detail: short([kind, container, `${path}:${line}`].filter(Boolean).join(' · ')),
        icon: symbolIcon(kind),
        more: false,
      };
    });
  }

  async #sessions(typed: string, signal: AbortSignal): Promise<MentionChoice[]> {
    const sought = typed.trim().toLowerCase();
    const titles = (await this.#mentions.titles(this.#shown(), signal)).filter((title) =>
      title.toLowerCase().includes(sought),
    );
    signal.throwIfAborted();
    return titles.slice(0, MOST_CHOICES).map((title) => ({
      insert: writeMention(SESSION_PREFIX + title),
      label: short(title),
      detail: '',
      icon: 'history',
      more: false,
    }));
  }

  #resources(typed: string): MentionChoice[] {
    const sought = typed.toLowerCase();
    return this.#content.resources
      .filter(({ server, uri, name }) => `${server}:${uri} ${name}`.toLowerCase().includes(sought))
      .slice(0, MOST_OTHERS)
      .map(({ server, uri, name, description }) => ({
        insert: writeMention(`${server}:${uri}`),
        label: short(name),
        detail: short([server, description].filter(Boolean).join(' · ')),
        icon: 'plug',
        more: false,
      }));
  }

  #paths(): Promise<readonly string[]> {
    const { files } = this.#mentions.ports;
    if (files.root === null) return Promise.resolve([]);
    const now = Date.now();
    if (!this.#listed || now - this.#listed.at > FRESH_MS) {
      const find = async () => (await files.find({ glob: '**' }, MOST_FILES, AbortSignal.timeout(FRESH_MS))).paths;
      this.#listed = { at: now, paths: orNothing(find, []) };
    }
    return this.#listed.paths;
  }
}

/** @param kind What the editor calls a symbol: `class`, `method` and so on. */
const symbolIcon = (kind: string): MentionIcon =>
  MENTION_ICONS.find((icon) => icon === `symbol-${kind}`) ?? 'symbol-misc';

const short = (text: string) => showInOneLine(text.slice(0, LONGEST));

function chooseFile(path: string): MentionChoice {
  const isFolder = path.endsWith('/');
  const bare = isFolder ? path.slice(0, -1) : path;
  const slash = bare.lastIndexOf('/');
  return {
    insert: writePathMention(path),
    label: short(bare.slice(slash + 1)) + (isFolder ? '/' : ''),
    detail: short(slash === -1 ? '' : bare.slice(0, slash)),
    icon: isFolder ? 'folder' : 'file',
    more: false,
  };
}

/** With a slash at the end. */
function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders];
}

/** A list that fails counts as empty: mentions typed by hand still work. */
async function orNothing<T>(list: () => Promise<T>, nothing: T): Promise<T> {
  try {
    return await list();
  } catch (thrown) {
    if (thrown instanceof ToolError || (thrown instanceof Error && thrown.name === 'TimeoutError')) return nothing;
    throw thrown;
  }
}
