/**
 * An agent in a Markdown file: name, description, tools, model and strategy in the front matter, and the system prompt
 * below. Files written for other programs are read too; settings without a meaning here are reported.
 */

import { readFrontMatter } from '../../frontMatter.ts';
import type { ReportSkipped } from '../../instructions/sourceFile.ts';
import { type Words, words } from '../../words.ts';
import { type AgentTools, cleanForeign, readToolLimits } from './agentTools.ts';

export interface AgentFile extends AgentTools {
  /** Its path in the workspace, or a path that begins with `~`. */
  readonly id: string;
  readonly name: string;
  /** For the person who chooses, and for the model that delegates to it. */
  readonly description: string;
  readonly prompt: string;
  /** Empty for the session's model. */
  readonly model: string;
  /** Id of a compaction strategy; empty for the configured one. */
  readonly strategy: string;
  /** Settings in the file without a meaning here, and how they were read instead. */
  readonly remarks: readonly Words[];
}

/** The present agents, by name; of several with the same name, the first is used. */
export interface AgentFiles {
  list(reportSkipped?: ReportSkipped): Promise<readonly AgentFile[]>;
}

/** Characters. */
export const LONGEST_AGENT_FILE = 100_000;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1_000;

/** Null unless the file has front matter, a name and a prompt. */
export async function readAgentFile(text: string, id: string): Promise<AgentFile | null> {
  if (text.length > LONGEST_AGENT_FILE) return null;
  const read = await readFrontMatter(text);
  if (!read) return null;
  const { fields } = read;
  const line = (name: string, most: number) => {
    const value = fields.get(name);
    const first = Array.isArray(value) ? value[0] : value;
    return typeof first === 'string' ? cleanForeign(first).replace(/\s+/g, ' ').slice(0, most).trim() : '';
  };
  const named = /([^/\\]+?)(?:\.agent)?\.md$/i.exec(id)?.[1] ?? '';
  const name = line('name', LONGEST_NAME) || cleanForeign(named).slice(0, LONGEST_NAME);
  const prompt = cleanForeign(read.body);
  if (name === '' || prompt === '') return null;
  const { allowed, withheld, remarks } = readToolLimits(fields, id);
  const model = line('model', 200);
  const isOthers = OTHERS_MODELS.test(model);
  if (isOthers) {
    remarks.push(
      words('{0} asks for the model {1}, a name of another program. The session’s model is used instead.', id, model),
    );
  }
  return {
    id,
    name,
    prompt,
    description: line('description', LONGEST_DESCRIPTION),
    tools: allowed,
    withheld,
    remarks,
    model: isOthers || /^(?:inherit|default)$/i.test(model) ? '' : model,
    strategy: line('strategy', 200),
  };
}

/** Another program's short name for a model, with an optional window. */
const OTHERS_MODELS = /^(?:sonnet|opus|haiku|opusplan)(?:\[[^\]]*\])?$/i;
