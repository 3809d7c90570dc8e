/** Reads the files of a folder that name MCP servers for other programs. Only reads; nothing is started from here. */

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { asRecord } from '../../../core/json.ts';
import { hasCode } from '../../files/fileErrors.ts';
import { type ConfiguredServer, readForeignServer } from './serverConfig.ts';

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

/** `folder` is absolute. A file that is not there, too large or no JSON names none. */
export async function readServerFiles(folder: string): Promise<readonly ConfiguredServer[]> {
  const found = await Promise.all(FILES.map(([path, field]) => readOne(folder, path, field)));
  return found.flat();
}

async function readOne(folder: string, path: string, field: string): Promise<readonly ConfiguredServer[]> {
  const text = await readSmall(join(folder, path));
  // Comments and trailing commas are usual in these files.
  const servers = asRecord(asRecord(parse(text, [], { allowTrailingComma: true }))?.[field]) ?? {};
  return Object.entries(servers)
    .slice(0, MOST_SERVERS)
    .filter(([name]) => name.trim() !== '')
    .map(([name, entry]) => readForeignServer(name, entry, { path, folder }));
}

async function readSmall(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    return size > LARGEST_FILE ? '' : await readFile(path, 'utf8');
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EISDIR')) return '';
    throw thrown;
  }
}
