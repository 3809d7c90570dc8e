/** Reads the files of a folder that name MCP servers for other programs. Only reads; nothing is started from here. */

import { join } from 'node:path';
import { createScanner, parse } from 'jsonc-parser';
import { messageOf, ToldError } from '../../../core/errors.ts';
import { asRecord, DEEPEST, isTextTooDeep } from '../../../core/json.ts';
import { sourceText } from '../../../core/sourceFile.ts';
import { type Words, words } from '../../../core/words.ts';
import { hasCode } from '../../files/fileErrors.ts';
import { readBounded } from '../../files/readChecked.ts';
import { type ConfiguredServer, readForeignServer, unreadable } from './serverConfig.ts';

/** In the order in which a name counts, with the field that holds the servers. */
const FILES = [
  ['.mcp.json', 'mcpServers'],
  ['.vscode/mcp.json', 'servers'],
  ['.cursor/mcp.json', 'mcpServers'],
  ['.roo/mcp.json', 'mcpServers'],
  ['.kilocode/mcp.json', 'mcpServers'],
  ['.amazonq/mcp.json', 'mcpServers'],
] as const;

const LARGEST_FILE = 256 * 1024;
const MOST_SERVERS = 50;

/** `folder` is absolute. A file that is not there names none; one that cannot be read is named with the reason. */
export async function readServerFiles(folder: string): Promise<readonly ConfiguredServer[]> {
  const found = await Promise.all(FILES.map(([path, field]) => readOne(folder, path, field)));
  return found.flat();
}

async function readOne(folder: string, path: string, field: string): Promise<readonly ConfiguredServer[]> {
  const file = { path, folder };
  const read = await readSmall(join(folder, path));
  if (typeof read !== 'string') return read === null ? [] : [unreadable(file, read)];
  if (isTextTooDeep(bracketsOf(read))) {
    return [unreadable(file, words('It is nested more than {0} levels deep.', DEEPEST))];
  }
  // Comments and trailing commas are usual in these files.
  const servers = asRecord(asRecord(parse(read, [], { allowTrailingComma: true }))?.[field]) ?? {};
  return Object.entries(servers)
    .slice(0, MOST_SERVERS)
    .filter(([name]) => name.trim() !== '')
    .map(([name, entry]) => readForeignServer(name, entry, file));
}

/** Its brackets, which tell how deep it is: one in a comment or in a text does not count. */
function bracketsOf(text: string): string {
  const scanner = createScanner(text, true);
  const brackets: string[] = [];
  do {
    scanner.scan();
    const token = text.charAt(scanner.getTokenOffset());
    if (scanner.getTokenLength() === 1 && '[]{}'.includes(token)) brackets.push(token);
  } while (scanner.getTokenLength() > 0);
  return brackets.join('');
}

/** The text; null where there is none, else why it is not read. */
async function readSmall(path: string): Promise<string | Words | null> {
  try {
    return sourceText(await readBounded(path, LARGEST_FILE), LARGEST_FILE);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return null;
    return thrown instanceof ToldError ? thrown.words : words('It cannot be read: {0}.', messageOf(thrown));
  }
}
