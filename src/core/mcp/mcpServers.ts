/**
 * The agent's view of MCP servers: the tools they offer, how to call them, and their results as text. Everything from a
 * server is foreign: names, descriptions and results are data, bounded before they come here.
 */

import * as z from 'zod';
import { Allowance } from '../allowance.ts';
import { fromBase64, type GivenImage, IMAGE_LIMITS, readImage } from '../context/images.ts';
import type { ToolDeclaration } from '../journal/entry.ts';
import { asRecord, asText, type Json, listOf } from '../json.ts';
import type { WorkspaceTrust } from '../tools/approvals.ts';
import { showHidden, showInOneLine } from '../tools/text/showHidden.ts';
import { stripControls } from '../tools/text/stripControls.ts';
import type { Tool, ToolOutcome } from '../tools/tool.ts';
import { inEnglish, verbatim, type Words } from '../words.ts';
import type { ServerModel } from './sample.ts';
import { type AskForServer, ServerQuestions } from './serverQuestions.ts';

export interface McpTool {
  /** The name that the model calls: `mcp__server__tool`, unique among all servers. */
  readonly name: string;
  /** The person's name for the server. */
  readonly server: string;
  /** The server's name for the tool. */
  readonly tool: string;
  readonly description: string;
  readonly parameters: ToolDeclaration['parameters'];
  /** Covers the server's configuration and its whole description of the tool: any change makes it another tool. */
  readonly fingerprint: string;
  /** Another extension of the editor offers it; `server` is that extension. */
  readonly extension?: true;
}

export interface McpOffer {
  readonly tools: readonly McpTool[];
  /** Messages for the person: servers that could not be started, ended, or are left out. */
  readonly said: readonly Words[];
}

export interface McpCall {
  readonly signal: AbortSignal;
  /** Called with one line for each progress report of the server. */
  readonly onProgress: (text: string) => void;
  /** Through it the server may ask the person. Default: nobody can be asked. */
  readonly askPerson?: AskForServer | undefined;
  /** Through it the server may ask the model, as far as the person allows. Default: it is refused. */
  readonly model?: ServerModel | undefined;
  /** Id of the session that calls. A question that may concern another session's call is not asked. */
  readonly session?: string;
}

export interface McpServers {
  /**
   * Starts the servers that should run, waits a while for them, and returns the tools. `onWait` is called with what it
   * waits for, and with an empty text at the end.
   */
  prepare(signal: AbortSignal, onWait?: (said: Words) => void): Promise<McpOffer>;
  /** The person's permanent decision about this tool. */
  decisionOn(tool: McpTool): 'allow' | 'deny' | null;
  allowAlways(tool: McpTool): Promise<void>;
  /** The result as the server sent it. Throws `ToolError` with the server and the reason when there is none. */
  call(tool: McpTool, input: Json, call: McpCall): Promise<unknown>;
}

const PREFIX = 'mcp__';
const EXTENSION_PREFIX = 'ext__';

/** Whether another program describes the tool of this name. */
export const isForeignTool = (name: string): boolean => name.startsWith(PREFIX) || name.startsWith(EXTENSION_PREFIX);

/** Maximum length that providers accept. */
const LONGEST_TOOL_NAME = 64;
const MARK_LENGTH = 8;

/** The model's name for a tool: letters that every provider accepts. `mark` distinguishes names that would be equal. */
export function nameMcpTool(server: string, tool: string, mark: string, taken: (name: string) => boolean): string {
  return shorten(`${PREFIX}${clean(server)}__${clean(tool)}`, mark, taken);
}

/** The same for a tool of an extension, whose name VS Code keeps unique. */
export function nameExtensionTool(tool: string, mark: string, taken: (name: string) => boolean): string {
  return shorten(`${EXTENSION_PREFIX}${clean(tool)}`, mark, taken);
}

const clean = (text: string) => text.replace(/[^A-Za-z0-9_-]/g, '_');

function shorten(name: string, mark: string, taken: (name: string) => boolean): string {
  if (name.length <= LONGEST_TOOL_NAME && !taken(name)) return name;
  return `${name.slice(0, LONGEST_TOOL_NAME - MARK_LENGTH - 1)}_${mark.slice(0, MARK_LENGTH)}`;
}

/** MCP resources, which a person mentions, and prompts, which they run as commands. All of it is foreign text. */
export interface McpResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

export interface McpPrompt {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
}

export interface McpContent {
  /** Whether a server of this name may run. */
  knows(server: string): boolean;
  /** The answer as the server sent it. Throws `ToolError` with the server and the reason. */
  readResource(server: string, uri: string, signal: AbortSignal): Promise<unknown>;
  getPrompt(
    server: string,
    prompt: string,
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<unknown>;
}

const LONGEST_PROGRESS = 500;
/** Reports of progress in one call that are shown. */
const MOST_PROGRESS = 1_000;

/** A call is shown with all of its arguments before it is sent. */
function makeMcpTool(facts: McpTool, servers: McpServers, model: ServerModel, asked: ServerQuestions): Tool<Json> {
  const { name, description, parameters, server, tool, extension } = facts;
  return {
    name,
    toolClass: 'mcp',
    description,
    // The server validates its own arguments.
    input: z.record(z.string(), z.unknown()),
    parameters,
    async prepare(input, { questions }) {
      const title = showInOneLine(`${server} › ${tool}`);
      return {
        title,
        approval: {
          title,
          detail: {
            kind: 'mcp',
            server: showInOneLine(server),
            tool: showInOneLine(tool),
            input: showHidden(JSON.stringify(input, null, 2)),
            ...(extension ? { extension } : {}),
          },
          mayRemember: true,
          mayAlways: true,
        },
        grant: {
          covers: [{ key: facts.fingerprint, title }],
          standing: servers.decisionOn(facts),
          allowAlways: () => servers.allowAlways(facts),
        },
        changes: [],
        async run({ onOutput, signal }) {
          const askPerson = questions && asked.through(questions);
          const call = { signal, onProgress: showProgress(onOutput), askPerson, model };
          return readMcpResult(await servers.call(facts, input, call), { images: true });
        },
      };
    },
  };
}

/** Passes on the first reports, each as a line. */
function showProgress(onOutput: (text: string) => void): (text: string) => void {
  const usedUp = verbatim(`It has reported its progress ${MOST_PROGRESS} times. What follows is not shown.`);
  const reports = new Allowance({ most: MOST_PROGRESS, usedUp });
  let isOver = false;
  return (text) => {
    if (isOver) return;
    const tooMany = reports.take();
    isOver = tooMany !== null;
    const line = tooMany ? inEnglish(tooMany) : stripControls(text.slice(0, LONGEST_PROGRESS)).replaceAll('\n', ' ');
    onOutput(`${line}\n`);
  };
}

interface OfferPorts {
  /** Undefined where no MCP server can be reached. */
  readonly servers: McpServers | undefined;
  /** Answers the servers. */
  readonly model: ServerModel;
  readonly trust: () => WorkspaceTrust;
  /** Shows the person a note about a server. */
  readonly notify: (notice: Words) => Promise<void>;
}

/**
 * The MCP tools that the model has in a turn. They are fixed from its beginning until the next one: a server that
 * changes its tools midway changes neither the header nor the meaning of a call.
 */
export class OfferedMcpTools {
  readonly #ports: OfferPorts;
  readonly #asked: ServerQuestions;
  #tools: readonly Tool[] = [];

  constructor(ports: OfferPorts) {
    this.#ports = ports;
    this.#asked = new ServerQuestions(ports.notify);
  }

  get tools(): readonly Tool[] {
    return this.#ports.trust() === 'trusted' ? this.#tools : [];
  }

  async renew(signal: AbortSignal): Promise<readonly Words[]> {
    this.#asked.renew();
    const { servers, model, trust } = this.#ports;
    if (!servers || trust() !== 'trusted') return [];
    const { tools, said } = await servers.prepare(signal);
    this.#tools = tools.map((tool) => makeMcpTool(tool, servers, model, this.#asked) as Tool);
    return said;
  }
}

/** Characters. Longer results would not survive the later truncation. */
const LONGEST_RESULT = 8_000_000;
const MOST_PARTS = 1_000;

/** Characters of base64, line breaks included. */
const LONGEST_IMAGE = IMAGE_LIMITS.bytes * 1.5;

/**
 * A result as text for the model, with a line for every other kind of content. Nothing is assumed about its shape; a
 * result of unknown shape is shown as JSON. With `images`, those that a model accepts are returned next to the text.
 */
export function readMcpResult(result: unknown, { images: keep = false } = {}): ToolOutcome {
  const { content, structuredContent, isError } = asRecord(result) ?? {};
  const parts = listOf(content);
  const images: GivenImage[] = [];
  const lines = parts.slice(0, MOST_PARTS).map((part) => {
    const bytes = keep && images.length < IMAGE_LIMITS.count ? imageIn(part) : null;
    if (!bytes) return describePart(part);
    const name = `image ${images.length + 1}`;
    images.push({ name, bytes });
    return `[${name}]`;
  });
  if (parts.length > MOST_PARTS) lines.push(`[${parts.length - MOST_PARTS} more parts were left out]`);
  // A server that gives both repeats itself.
  if (lines.length === 0 && structuredContent !== undefined) lines.push(JSON.stringify(structuredContent, null, 2));
  const text = stripControls(lines.join('\n')).slice(0, LONGEST_RESULT);
  return {
    text: text.trim() === '' ? '(no output)' : text,
    ...(images.length > 0 ? { images } : {}),
    ...(isError === true ? { isError: true } : {}),
  };
}

/** Null unless it is an image of a kind and size that models accept: others are only named. */
function imageIn(part: unknown): Uint8Array | null {
  const { type, data } = asRecord(part) ?? {};
  if (type !== 'image' || typeof data !== 'string' || data.length > LONGEST_IMAGE) return null;
  const bytes = fromBase64(data);
  return bytes && bytes.length <= IMAGE_LIMITS.bytes && readImage(bytes) ? bytes : null;
}

function describePart(part: unknown): string {
  const { type, text, data, mimeType, resource, uri, name } = asRecord(part) ?? {};
  switch (type) {
    case 'text':
      return asText(text);
    case 'image':
    case 'audio':
      return `[${type} ${short(mimeType)}, ${sizeOf(data)}, which cannot be shown to you]`;
    case 'resource_link':
      return `[resource ${short(name)}: ${short(uri)}]`;
    case 'resource': {
      const { uri: at, mimeType: mime, text: body, blob } = asRecord(resource) ?? {};
      if (typeof body === 'string') return `[resource ${short(at)}]\n${body}`;
      return `[resource ${short(at)}, ${short(mime)}, ${sizeOf(blob)}, which cannot be shown to you]`;
    }
    default:
      return JSON.stringify(part) ?? '';
  }
}

const LONGEST_NAME = 500;
const short = (value: unknown) => asText(value).replaceAll('\n', ' ').slice(0, LONGEST_NAME);

/** Size of base64 data. */
const sizeOf = (data: unknown) => `${Math.ceil((asText(data).length * 3) / 4 / 1024)} KB`;

/** Resources and prompts of MCP servers as text. Nothing is assumed about their shape. */
export function readMcpResource(result: unknown): string {
  const parts = listOf(asRecord(result)?.contents).map((resource) => ({ type: 'resource', resource }));
  return readMcpResult({ content: parts }).text;
}

/** The messages of a prompt, one below the other; several are labelled with their speaker. */
export function readMcpPrompt(result: unknown): string {
  const messages = listOf(asRecord(result)?.messages);
  const texts = messages.map((message) => {
    const { role, content } = asRecord(message) ?? {};
    const { text } = readMcpResult({ content: Array.isArray(content) ? content : [content] });
    return messages.length > 1 ? `[${asText(role).slice(0, 20)}]\n${text}` : text;
  });
  return texts.join('\n\n');
}
