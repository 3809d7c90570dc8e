/**
 * The agent that a session uses. The journal names it; its file is read at the beginning of each turn, so a change
 * applies from the next turn on. Its strategy is taken over when it is chosen, like a model.
 */

import type { ReportSkipped } from '../../instructions/sourceFile.ts';
import type { AgentEntry, HeaderItem } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { AgentFile, AgentFiles } from './agentFile.ts';
import { mayUse } from './agentTools.ts';

export class SessionAgent {
  readonly #journal: Journal;
  readonly #files: AgentFiles | undefined;
  #file: AgentFile | null = null;
  /** Id of the missing agent already reported. */
  #missed: string | null = null;
  readonly #remarked = new Set<string>();

  constructor(journal: Journal, files: AgentFiles | undefined) {
    this.#journal = journal;
    this.#files = files;
  }

  /**
   * As the journal names it; null for the built-in agent. An imported journal chooses no agent here. Its strategy is empty
   * where the person chose one later.
   */
  get chosen(): AgentEntry['agent'] {
    const { context, importedTo, strategyChosen } = this.#journal;
    const entry = context.agent;
    if (!entry?.agent || entry.seq <= importedTo) return null;
    return strategyChosen && strategyChosen.seq > entry.seq ? { ...entry.agent, strategy: '' } : entry.agent;
  }

  /** Reads the agent's file again. Returns remarks for the person. */
  async renew(reportSkipped: ReportSkipped): Promise<readonly Words[]> {
    const { chosen } = this;
    // Also read when none is chosen, because tasks may be given to any of them.
    const found = (await this.#files?.list(reportSkipped)) ?? [];
    this.#file = found.find(({ id }) => id === chosen?.id) ?? null;
    if (!chosen || this.#file) this.#missed = null;
    else if (this.#missed !== chosen.id) {
      this.#missed = chosen.id;
      return [words('The agent {0} cannot be read ({1}), so the built-in one answers.', chosen.name, chosen.id)];
    }
    const fresh = (this.#file?.remarks ?? []).filter((remark) => !this.#remarked.has(inEnglish(remark)));
    for (const remark of fresh) this.#remarked.add(inEnglish(remark));
    return fresh;
  }

  mayUse(tool: string): boolean {
    return this.#file === null || mayUse(this.#file, tool);
  }

  /** Null where the built-in prompt applies. */
  get prompt(): Omit<HeaderItem, 'tokens'> | null {
    if (!this.#file) return null;
    const { id, prompt } = this.#file;
    return { kind: 'systemPrompt', origin: id, text: prompt, cacheHint: true };
  }
}
