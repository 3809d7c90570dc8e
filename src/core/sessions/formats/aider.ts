/**
 * Aider's chat history (`.aider.chat.history.md`): one Markdown file for all sessions of a folder. Lines of the person
 * begin with `####`, those of the program itself with `>`, and everything else was written by the model. Aider has no
 * calls: the model's edits are in its text.
 */

import type { Recorded, RecordedMessage } from '../recorded.ts';

/** How the file, and each session in it, begins. */
export const AIDER_START = /^# aider chat started at /;

/** Commands whose rest goes to the model; what other commands do is between the person and the program. */
const ASKS = /^\/(?:ask|code|architect|context|help)\s+/;
const COMMAND = /^\/[a-z][a-z-]*(?:\s|$)|^!/;

type Speaker = 'user' | 'assistant' | 'program';

export function readAider(lines: readonly string[]): Recorded[] {
  const recorded: Recorded[] = [];
  let speaker: Speaker | null = null;
  let quoted: string[] = [];
  const end = () => {
    const text = quoted.join('\n').trim();
    if (speaker && text !== '') recorded.push(messageOf(speaker, text));
    quoted = [];
    speaker = null;
  };
  for (const line of lines) {
    const now = speakerOf(line);
    if (now === null) {
      end();
      continue;
    }
    // Blank lines are around every part of the file.
    if (now !== speaker && !(now === 'assistant' && line.trim() === '')) {
      end();
      speaker = now;
    }
    if (speaker === now) quoted.push(now === 'user' ? line.slice(5) : now === 'program' ? line.slice(2) : line);
  }
  end();
  return recorded;
}

/** Null for the line between two sessions. Lines of the person and the program end with two spaces, for Markdown. */
function speakerOf(line: string): Speaker | null {
  if (AIDER_START.test(line)) return null;
  if (line.startsWith('#### ') || line === '####') return 'user';
  return line.startsWith('> ') || line === '>' ? 'program' : 'assistant';
}

function messageOf(speaker: Speaker, given: string): RecordedMessage {
  const text = speaker === 'assistant' ? given : given.replace(/ {2}$/gm, '');
  switch (speaker) {
    case 'user':
      if (ASKS.test(text)) return { role: 'user', text: text.replace(ASKS, '') };
      return { role: 'user', text, ...(COMMAND.test(text) ? { kind: 'reminder' } : {}) };
    case 'assistant':
      return { role: 'assistant', text };
    case 'program':
      return { role: 'user', kind: 'reminder', text: `Aider said:\n${text}` };
  }
}
