/**
 * The scripted demo's answer to a summariser's request: a list of what stands in the prompt, drawn out by patterns and
 * labelled as scripted. It adds nothing of its own, so that what a person then sees in the notes is true.
 */

import { type DemoPlace, placesIn, writePlace } from './demoHistory.ts';

const LONGEST_LIST = 12;
const LONGEST_LINE = 160;

export interface SummaryFacts {
  readonly requests: readonly string[];
  readonly files: readonly string[];
  readonly changed: readonly string[];
  readonly commands: readonly string[];
  readonly errors: readonly string[];
  /** The newest step of the demo's own script, if it ran. */
  readonly place: DemoPlace | null;
}

export function readSummaryFacts(prompt: string): SummaryFacts {
  const calls = [...prompt.matchAll(/\[calls (\w+) (\{.*?\})\](?=\n|$)/g)].map(([, name = '', input = '']) => ({
    name,
    input,
  }));
  const pathOf = (input: string) => /"path"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(input)?.[1] ?? '';
  const changes = calls.filter(({ name }) => name === 'edit_file' || name === 'write_file');
  const named = [...prompt.matchAll(/(?<![\w/.])(?:[\w.-]+\/)*[\w-]+\.[a-z]{1,4}\b(?!\w)/g)].map(([path]) => path);
  return {
    requests: newest([...prompt.matchAll(/^\[user\]\n(.+)$/gm)].map(([, text = '']) => text)),
    files: newest([...calls.map(({ input }) => pathOf(input)), ...(calls.length > 0 ? [] : named)].filter(isFile)),
    changed: newest(changes.map(({ input }) => pathOf(input))),
    commands: newest([...prompt.matchAll(/"command"\s*:\s*"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text)),
    errors: newest([...prompt.matchAll(/^\[error of (\w+)\]\n(.+)$/gm)].map(([, name, text]) => `${name}: ${text}`)),
    place: placesIn(prompt).at(-1) ?? null,
  };
}

function isFile(path: string): boolean {
  return path !== '' && path !== '.';
}

/** The last few, each once, in order. */
function newest(lines: readonly string[]): string[] {
  const short = lines.map((line) => line.trim().slice(0, LONGEST_LINE).toWellFormed()).filter(Boolean);
  return [...new Set(short.toReversed())].slice(0, LONGEST_LIST).reverse();
}

/** `label` says who wrote it; sections and tags follow what the prompt asks for. */
export function writeScriptedSummary(prompt: string, label = 'Scripted demo'): string {
  const facts = readSummaryFacts(prompt);
  const note = `${label}: this summary was written by a script that lists what the conversation names.`;
  const sections: readonly (readonly [tag: string, text: string])[] = [
    ['current_focus', [note, list('The user asked', facts.requests), placeLine(facts)].filter(Boolean).join('\n')],
    ['environment', list('Commands named', facts.commands) || 'No command was named.'],
    ['completed_tasks', list('Files looked at', facts.files) || 'No file was looked at.'],
    ['active_issues', list('Errors met', facts.errors) || 'No error was recorded.'],
    ['code_state', list('Files proposed for change', facts.changed) || 'No change was proposed.'],
    ['important_context', `${label}; the facts above are copied from the conversation.`],
  ];
  if (/<current_focus>/.test(prompt)) {
    return sections.map(([tag, text]) => `<${tag}>\n${text}\n</${tag}>`).join('\n');
  }
  const plain = sections.map(([, text]) => text).join('\n');
  return /<summary>/.test(prompt) ? `<summary>\n${plain}\n</summary>` : plain;
}

function placeLine({ place }: SummaryFacts): string {
  return place ? `Newest step of the script: ${writePlace(place)}done.` : '';
}

function list(title: string, lines: readonly string[]): string {
  return lines.length > 0 ? `${title}:\n${lines.map((line) => `- ${line}`).join('\n')}` : '';
}
