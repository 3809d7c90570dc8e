/**
 * The scripted demo's answer to a summariser's request: a list of what stands in the prompt, drawn out by patterns and
 * labelled as scripted. It adds nothing of its own, so that what a person then sees in the notes is true.
 */

import type { ChatMessage } from '../../core/ports.ts';
import { type DemoPlace, placesIn, writePlace } from './demoHistory.ts';

const LONGEST_LIST = 12;
const LONGEST_LINE = 160;

const ASKED = 'The user asked';
const LOOKED = 'Files looked at';
const CHANGED = 'Files proposed for change';
const COMMANDS = 'Commands named';
const ERRORS = 'Errors met';

interface SummaryFacts {
  readonly requests: readonly string[];
  readonly files: readonly string[];
  readonly changed: readonly string[];
  readonly commands: readonly string[];
  readonly errors: readonly string[];
  /** The newest step of the demo's own script, if it ran. */
  readonly place: DemoPlace | null;
}

function readSummaryFacts(prompt: string): SummaryFacts {
  const calls = [...prompt.matchAll(/^\[calls (\w+) (\{.*\})\]$/gm)].map(([, name = '', input = '']) => ({
    name,
    input,
  }));
  const pathOf = (input: string) => /"path"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(input)?.[1] ?? '';
  const changes = calls.filter(({ name }) => name === 'edit_file' || name === 'write_file');
  const named = [...prompt.matchAll(/(?<![\w/.-])(?:[\w.-]+\/)*[\w-]+\.[a-z]{1,4}\b(?!\w)/g)].map(([path]) => path);
  const looked = calls.length > 0 ? calls.map(({ input }) => pathOf(input)) : named;
  return {
    requests: newest(
      prompt,
      ASKED,
      [...prompt.matchAll(/^\[user\]\n(.+)$/gm)].map(([, text = '']) => text),
    ),
    files: newest(prompt, LOOKED, looked.filter(isFile)),
    changed: newest(
      prompt,
      CHANGED,
      changes.map(({ input }) => pathOf(input)),
    ),
    commands: newest(
      prompt,
      COMMANDS,
      [...prompt.matchAll(/"command"\s*:\s*"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text),
    ),
    errors: newest(
      prompt,
      ERRORS,
      [...prompt.matchAll(/^\[error of (\w+)\]\n(.+)$/gm)].map(([, name, text]) => `${name}: ${text}`),
    ),
    place: placesIn(prompt).at(-1) ?? null,
  };
}

function isFile(path: string): boolean {
  return path !== '' && path !== '.';
}

/** The last few, each once, in order; what our earlier summary lists under the same title comes first. */
function newest(prompt: string, title: string, found: readonly string[]): string[] {
  const earlier = [...prompt.matchAll(new RegExp(`^${title}:\\n((?:- .*\\n?)+)`, 'gm'))].flatMap(([, block = '']) =>
    block.split('\n').map((line) => line.slice('- '.length)),
  );
  const lines = [...earlier, ...found];
  const short = lines.map((line) => line.trim().slice(0, LONGEST_LINE).toWellFormed()).filter(Boolean);
  return [...new Set(short.toReversed())].slice(0, LONGEST_LIST).reverse();
}

/** A conversation as a summariser's prompt tells it, for a request that has the conversation itself before its task. */
export const tellConversation = (messages: readonly ChatMessage[]): string =>
  messages.map(tellMessage).filter(Boolean).join('\n\n');

function tellMessage(message: ChatMessage): string {
  switch (message.role) {
    case 'system':
      return '';
    case 'user':
      return `${/^<[a-z-]+>\n/.test(message.text) ? '[not written by the user]' : '[user]'}\n${message.text}`;
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map((call) => `[calls ${call.name} ${call.arguments}]`);
      return ['[assistant]', message.text, ...calls].filter(Boolean).join('\n');
    }
    case 'tool':
      return `[result]\n${message.text}`;
  }
}

/** `label` says who wrote it; sections and tags follow what the prompt asks for. */
export function writeScriptedSummary(prompt: string, label = 'Scripted demo'): string {
  const facts = readSummaryFacts(prompt);
  const note = `${label}: this summary was written by a script that lists what the conversation names.`;
  const sections: readonly (readonly [tag: string, text: string])[] = [
    ['current_focus', [note, list(ASKED, facts.requests), placeLine(facts)].filter(Boolean).join('\n')],
    ['environment', list(COMMANDS, facts.commands) || 'No command was named.'],
    ['completed_tasks', list(LOOKED, facts.files) || 'No file was looked at.'],
    ['active_issues', list(ERRORS, facts.errors) || 'No error was recorded.'],
    ['code_state', list(CHANGED, facts.changed) || 'No change was proposed.'],
    ['important_context', `${label}; the facts above are copied from the conversation.`],
  ];
  if (/"keyFacts"/.test(prompt)) return JSON.stringify(structured(note, facts));
  if (/<current_focus>/.test(prompt)) {
    return sections.map(([tag, text]) => `<${tag}>\n${text}\n</${tag}>`).join('\n');
  }
  const plain = sections.map(([, text]) => text).join('\n');
  return /<summary>/.test(prompt) ? `<summary>\n${plain}\n</summary>` : plain;
}

/** The shape that a structured summary asks for. */
function structured(note: string, facts: SummaryFacts): Readonly<Record<string, string | readonly string[]>> {
  return {
    focus: [note, ...facts.requests.slice(-1), placeLine(facts)].filter(Boolean).join(' '),
    completed: facts.files.map((path) => `looked at ${path}`),
    issues: facts.errors,
    decisions: [],
    todo: [],
    environment: facts.commands,
    code: facts.changed.map((path) => `${path}: a change was proposed`),
    keyFacts: facts.files,
  };
}

function placeLine({ place }: SummaryFacts): string {
  return place ? `Newest step of the script: ${writePlace(place)}done.` : '';
}

function list(title: string, lines: readonly string[]): string {
  return lines.length > 0 ? `${title}:\n${lines.map((line) => `- ${line}`).join('\n')}` : '';
}
