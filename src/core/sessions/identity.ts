/** The id that a program gave to a session, by which a copy of its file is known whatever its name. */

import type { Recognised } from './recognise.ts';

const SESSION_ID = /"sessionId"\s*:\s*"([^"\\]+)"/;
const AGENT_ID = /"agentId"\s*:\s*"([^"\\]+)"/;

/** `beginning`: the first part of the file, which may end within a line. Null where the program writes no id. */
export function identityOf(recognised: Recognised, beginning: string): string | null {
  const find = (...signs: readonly RegExp[]) => {
    const found = signs.map((sign) => sign.exec(beginning)?.[1]);
    return found[0] === undefined ? null : [kindOf(recognised.format), ...found].filter(Boolean).join(':');
  };
  switch (recognised.format) {
    case 'palimpsest':
      return `palimpsest:${recognised.id}`;
    case 'claudeCode':
    case 'qwenCode': {
      // A subagent's file has the id of the session that it works for.
      const isOfAgent = /"isSidechain"\s*:\s*(true|false)/.exec(beginning)?.[1] === 'true';
      return isOfAgent ? find(SESSION_ID, AGENT_ID) : find(SESSION_ID);
    }
    case 'geminiCli':
    case 'geminiCliList':
      // Several chats may have been begun in one run of the program.
      return find(SESSION_ID, /"startTime"\s*:\s*"([^"\\]+)"/);
    case 'continue':
      return find(SESSION_ID);
    case 'codex':
      return find(/"type"\s*:\s*"session_meta"[\s\S]{0,400}?"id"\s*:\s*"([^"\\]+)"/);
    case 'pi':
      return find(/"type"\s*:\s*"session"[\s\S]{0,400}?"id"\s*:\s*"([^"\\]+)"/);
    case 'copilotChatLog':
      // Before the requests, in which extensions keep ids of their own.
      return find(/^\s*\{"kind":0,"v":\{[^[\]{}]*?"sessionId"\s*:\s*"([^"\\]+)"/);
    case 'copilotCli':
      return find(/"session\.start"[\s\S]{0,400}?"sessionId"\s*:\s*"([^"\\]+)"/);
    case 'openCode':
      return find(/"id"\s*:\s*"(ses[^"\\]*)"/);
    default:
      return null;
  }
}

/** Gemini CLI writes a session of its older form anew in lines when it goes on with it. */
const kindOf = (format: Recognised['format']) => (format === 'geminiCliList' ? 'geminiCli' : format);
