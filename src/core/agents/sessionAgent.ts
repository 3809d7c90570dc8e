/**
 * Which agent a session has. The journal names it; what its file says is read at the beginning of each turn, so that a
 * change holds from the next turn on. Its strategy is taken when it is chosen, like a model.
 */

import type { AgentEntry, HeaderItem } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { LeaveOut } from '../sourceFile.ts';
import { inEnglish, type Words, words } from '../words.ts';
import { type AgentFile, type AgentFiles, mayUse } from './agentFile.ts';

export class SessionAgent {
  readonly #journal: Journal;
  readonly #files: AgentFiles | undefined;
  #file: AgentFile | null = null;
  /** Id of the one whose absence was said. */
  #missed: string | null = null;
  readonly #remarked = new Set<string>();

  constructor(journal: Journal, files: AgentFiles | undefined) {
    this.#journal = journal;
    this.#files = files;
  }

  /** As the journal names it; null for the built-in one. An imported journal chooses nothing here. */
  get chosen(): AgentEntry['agent'] {
    const entry = this.#journal.context.agent;
    return entry && entry.seq > this.#journal.importedTo ? entry.agent : null;
  }

  /** Reads its file again. Returns what the person should know about it. */
  async renew(leaveOut: LeaveOut): Promise<readonly Words[]> {
    const { chosen } = this;
    // Read also where none is chosen: a task may be given to any of them.
    const found = (await this.#files?.list(leaveOut)) ?? [];
    this.#file = found.find(({ id }) => id === chosen?.id) ?? null;
    if (!chosen || this.#file) this.#missed = null;
    else if (this.#missed !== chosen.id) {
      this.#missed = chosen.id;
      return [words('The agent {0} cannot be read ({1}), so the built-in one answers.', chosen.name, chosen.id)];
    }
    const fresh = (this.#file?.remarks ?? []).filter((said) => !this.#remarked.has(inEnglish(said)));
    for (const said of fresh) this.#remarked.add(inEnglish(said));
    return fresh;
  }

  mayUse(tool: string): boolean {
    return this.#file === null || mayUse(this.#file, tool);
  }

  /** Null where the built-in prompt holds. */
  get prompt(): Omit<HeaderItem, 'tokens'> | null {
    if (!this.#file) return null;
    const { id, prompt } = this.#file;
    return { kind: 'systemPrompt', origin: id, text: prompt, cacheHint: true };
  }
}
