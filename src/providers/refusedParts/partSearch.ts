/**
 * Finds the part of a request for which an endpoint refuses it, and keeps it out of later requests: the part that the words
 * name, else by leaving out one half of what has not been accepted yet, then the other, then both. Where a half was enough,
 * the next requests halve it again.
 */

import type { ModelError, Refused } from '../../core/errors.ts';
import { type Json, listOf } from '../../core/json.ts';
import { isForeignTool } from '../../core/mcp/mcpNames.ts';
import type { ModelRequest } from '../../core/model/modelClient.ts';
import { type Words, words } from '../../core/words.ts';
import { encodeName } from '../encodeParts.ts';
import { isServersOwn } from '../errors/serverFault.ts';
import { ALL_IMAGES, FOREIGN, type PartKind, partsOf, type RequestPart, withoutParts } from './requestPart.ts';

/** Of one request, after the first. */
const MOST_TRIES = 3;
/** Of the newest accepted parts. */
const MOST_KEPT = 20_000;

/** Remembers the parts that one model at one endpoint refuses, and those that it accepted. */
export class RefusedParts {
  /** Keys of parts that are left out. */
  #out: ReadonlySet<string> = new Set();
  /** Keys that are left out, of which one or more in each group are refused. */
  #groups: readonly (readonly string[])[] = [];
  #accepted = new Set<string>();
  /** Leaving them out did not help. */
  readonly #tried = new Set<string>();
  /** By session. */
  readonly #reported = new Set<string>();

  /** The search for one request. */
  begin(request: ModelRequest): PartSearch {
    // Most endpoints never refused anything.
    const parts = this.#groups.length > 0 ? partsOf(request) : [];
    const groups = this.#groups.map((keys) => parts.filter(({ key }) => keys.includes(key)));
    const group = groups.find((present, at) => present.length === this.#groups[at]?.length) ?? [];
    return new PartSearch(request, group, this);
  }

  get out(): ReadonlySet<string> {
    return this.#out;
  }

  isFresh({ key }: RequestPart): boolean {
    return !this.#accepted.has(key) && !this.#tried.has(key);
  }

  /** Instead of `group`, which is done with. */
  learn(out: ReadonlySet<string>, group: readonly RequestPart[], found: readonly (readonly RequestPart[])[]): void {
    this.#out = out;
    const others = this.#groups.filter((keys) => keys[0] === undefined || !group.some(({ key }) => key === keys[0]));
    this.#groups = [...others, ...found.filter(({ length }) => length > 1).map((parts) => parts.map(({ key }) => key))];
  }

  accept(parts: readonly RequestPart[]): void {
    if (this.#accepted.size > MOST_KEPT) this.#accepted = new Set();
    for (const { key } of parts) this.#accepted.add(key);
  }

  giveUp(parts: readonly RequestPart[]): void {
    for (const { key } of parts) this.#tried.add(key);
  }

  /** True the first time for each session. */
  isUnreported(key: string, session: string): boolean {
    const both = `${session} ${key}`;
    const isNew = !this.#reported.has(both);
    this.#reported.add(both);
    return isNew;
  }
}

export class PartSearch {
  readonly #whole: ModelRequest;
  readonly #known: RefusedParts;
  /** Left out as a whole until now; this request finds out which half is refused. */
  readonly #group: readonly RequestPart[];
  /** Parts to leave out in the next tries, beyond those known. Null before a search without a name. */
  #plan: Plan | null = null;
  #left: readonly RequestPart[] = [];
  #isNamed = false;
  #tries = 0;
  #first: ModelError | null = null;
  #request: ModelRequest;

  constructor(whole: ModelRequest, group: readonly RequestPart[], known: RefusedParts) {
    this.#whole = whole;
    this.#group = group;
    this.#known = known;
    this.#request = whole;
    if (group.length > 1) {
      this.#plan = planOf(group);
      this.#left = this.#plan.tries.shift() ?? [];
    }
    this.#request = withoutParts(whole, this.#out);
  }

  /** As it goes out now. */
  get request(): ModelRequest {
    return this.#request;
  }

  /** Why it was refused as a whole. */
  get reason(): ModelError | null {
    return this.#first;
  }

  /** The request differs from the whole one. */
  get isReduced(): boolean {
    return this.#out.size > 0;
  }

  get #out(): ReadonlySet<string> {
    const doubted = new Set(this.#group.map(({ key }) => key));
    return new Set([...[...this.#known.out].filter((key) => !doubted.has(key)), ...this.#left.map(({ key }) => key)]);
  }

  /** True when there is another try, without some part. `encode`: as it was sent. */
  next(error: ModelError, encode: (request: ModelRequest) => Json): boolean {
    if (this.#group.length === 0 || this.#tries > 0) this.#first ??= error;
    if (!mayBePart(error) || this.#tries >= MOST_TRIES) return this.#giveUp();
    this.#tries++;
    const candidates = partsOf(this.#request);
    const named = findNamed(error, candidates, () => encode(this.#request));
    if (named.length > 0) {
      // Of several refused parts, many servers name one at a time.
      const before = this.#isNamed || this.#group.length === 0 ? this.#left : this.#group;
      this.#isNamed = true;
      return this.#try([...before, ...named]);
    }
    if (this.#plan === null) {
      const fresh = candidates.filter((part) => this.#known.isFresh(part));
      this.#plan = planOf(ofKind(error, fresh) ?? fresh);
      const before = this.#left;
      const tries = this.#plan.tries.map((parts) => this.#withSomeTool([...before, ...parts]));
      const keys = tries.map((parts) => parts.map(({ key }) => key).join('\n'));
      this.#plan.tries = tries.filter(
        (parts, at) => parts.length > before.length && keys.indexOf(keys[at] ?? '') === at,
      );
    }
    const parts = this.#plan.tries.shift();
    return parts && parts.length > 0 ? this.#try(parts) : this.#giveUp();
  }

  /** The request was answered. Returns what a person has not yet read of what it went without; null for nothing. */
  accept(): Words | null {
    const searched = this.#tries > 0 || this.#group.length > 0;
    if (searched) {
      const halves = (this.#plan?.halves ?? []).map((half) => half.filter((part) => this.#left.includes(part)));
      // In the half that is left out something is refused; in each, where both are.
      const found = this.#isNamed ? [] : halves.filter(({ length }) => length > 0);
      this.#known.learn(this.#out, this.#group, found);
    }
    this.#known.accept(partsOf(this.#request));
    if (!this.isReduced) return null;
    const { cacheKey = '', expected } = this.#whole;
    // Nobody reads the remarks about a summary.
    if (cacheKey && !expected) return null;
    const out = this.#out;
    const isOut = ({ key, kind }: RequestPart) => out.has(key) || (kind === 'image' && out.has(ALL_IMAGES));
    const unread = partsOf(this.#whole).filter((part) => isOut(part) && this.#known.isUnreported(part.key, cacheKey));
    return unread.length > 0 ? describeLeftOut(unread, this.#whole.model, this.#first) : null;
  }

  /** Without any tool the model can only talk: the product's own stay, as far as nothing names them. */
  #withSomeTool(parts: readonly RequestPart[]): readonly RequestPart[] {
    const tools = parts.filter(({ kind }) => kind === 'tool').length;
    return tools < this.#whole.tools.length
      ? parts
      : parts.filter(({ kind, rank }) => kind !== 'tool' || rank === FOREIGN);
  }

  #try(parts: readonly RequestPart[]): true {
    this.#left = parts;
    this.#request = withoutParts(this.#whole, this.#out);
    return true;
  }

  #giveUp(): false {
    // All of a group stays out, so that the next request looks for another cause.
    if (this.#group.length > 0) this.#known.learn(this.#known.out, this.#group, []);
    else if (this.#tries > 0) this.#known.giveUp(partsOf(this.#whole));
    return false;
  }
}

interface Plan {
  readonly halves: readonly (readonly RequestPart[])[];
  tries: (readonly RequestPart[])[];
}

/** One half, the other half, both; the likelier half first. */
function planOf(parts: readonly RequestPart[]): Plan {
  const [first] = parts;
  if (!first) return { halves: [], tries: [] };
  if (parts.length === 1) return { halves: [], tries: [parts] };
  const likely = parts.filter(({ rank }) => rank === first.rank);
  const half = likely.length < parts.length ? likely : parts.slice(0, Math.ceil(parts.length / 2));
  const halves = [half, parts.filter((part) => !half.includes(part))];
  return { halves, tries: [...halves, parts] };
}

/** Refused for its content, whatever the part. */
const DECLINED = /moderation|flagged|content.?(?:policy|filter|management)|safety|敏感|违规/i;

/** Without tools the model can only talk: that is for a person to decide. */
const TAKES_NO_TOOLS =
  /(?:n['’o]t|\bno\b)[^.]{0,30} support[^.]{0,20} (?:tools?|functions?)\b(?! schema)|(?:tools?|tool use|(?:tool|function)[ -]calling) (?:is|are) (?:not supported|unsupported|disabled)|tool choice requires|support tool use/i;
/** Fields beside the parts. */
const OF_REQUEST =
  /^(?:model|temperature|top_[pk]|n|stream|stream_options|stop|max_\w+|user|seed|store|include|instructions|reasoning\w*|thinking|output_config|tool_choice|response_format|logprobs|metadata|parallel_tool_calls|service_tier|prompt_cache_key)(?:\.|$)/;

/** Statuses of a refusal that a part may cause, whatever its words. */
const OF_ANY_PART: ReadonlySet<unknown> = new Set([400, 413, 422]);
/** And of one whose words are about images: a kind of content that is not taken, and what llama.cpp answers. */
const OF_IMAGE: ReadonlySet<unknown> = new Set([415, 500, 501]);

function mayBePart({ kind, facts, refused }: ModelError): boolean {
  const { status, malformedHistory, guessed } = facts;
  // A body that is too large, most often for an image; the caller decides about the window.
  if (kind === 'overflow') return guessed === true && status === 413;
  const text = refused?.text.slice(0, 4_000) ?? '';
  // Routers find no model that takes images.
  if (kind === 'notFound') return TAKES_NONE.test(text);
  if (kind !== 'badRequest' || malformedHistory || DECLINED.test(text) || TAKES_NO_TOOLS.test(text)) return false;
  if (isServersOwn(text)) return false;
  const fields = refused?.fields ?? [];
  if (fields.length > 0 && fields.every(({ path }) => OF_REQUEST.test(path))) return false;
  return OF_ANY_PART.has(status) || (OF_IMAGE.has(status) && IMAGE.test(refused?.text ?? ''));
}

const IMAGE = /\bimages?\b|image_url|input_image|vision|visual|multi-?modal|mmproj|\bmedia\b|图片|图像|视觉|多模态/i;
const TAKES_NONE =
  /(?:n['’o]t|\bno\b|only)[^.]{0,40}(?:support|accept|handle|take|allow|capab)[^.]{0,60}(?:image|vision|multi-?modal)|(?:image|vision|multi-?modal)[^.]{0,80}(?:not (?:currently )?(?:supported|accepted|enabled|allowed|available)|unsupported)|mmproj|不支持[^。]{0,20}(?:图|视觉|多模态)|unknown variant `?image_url/i;
const TOOL = /\bschemas?\b|\btools?\b|\bfunctions?\b|input_schema|function_declarations|工具|函数/i;
const HISTORY = /\bmessages?\b|\bcontent\b|\broles?\b|\binput\[|arguments|消息/i;

/** The parts of the kind that the words are about; null where they are about none. */
function ofKind(error: ModelError, parts: readonly RequestPart[]): readonly RequestPart[] | null {
  const text = wordsOf(error.refused);
  const of = (...kinds: PartKind[]) => parts.filter(({ kind }) => kinds.includes(kind));
  if (error.kind === 'overflow') return of('image');
  const [images, tools, history] = [of('image'), of('tool'), of('image', 'calls', 'result')];
  if (IMAGE.test(text) && images.length > 0) return images;
  if (TOOL.test(text) && tools.length > 0) return tools;
  return HISTORY.test(text) && history.length > 0 ? history : null;
}

const wordsOf = (refused: Refused | null) =>
  [refused?.text, ...(refused?.fields ?? []).map(({ path }) => path)].join('\n').slice(0, 20_000);

/** The parts that a refusal names, by a tool's name or by their place in the request. */
function findNamed(error: ModelError, parts: readonly RequestPart[], encode: () => Json): readonly RequestPart[] {
  const { refused } = error;
  if (!refused || error.kind === 'overflow') return [];
  const text = wordsOf(refused);
  const images = parts.filter(({ kind }) => kind === 'image');
  if (images.length > 0 && TAKES_NONE.test(text)) return [{ ...(images[0] as RequestPart), key: ALL_IMAGES }];
  const tools = TOOL.test(text) ? parts.filter((part) => part.kind === 'tool' && isNamed(text, part.name)) : [];
  if (tools.length > 0) return tools;
  const body = encode();
  return parts.filter((part) => placesIn(text).some(({ list, at, within }) => isAt(part, body, list, at, within)));
}

function isNamed(text: string, name: string): boolean {
  const sent = encodeName(name);
  for (let at = text.indexOf(sent); at >= 0; at = text.indexOf(sent, at + 1))
    if (!/[\w-]/.test(text.charAt(at - 1)) && !/[\w-]/.test(text.charAt(at + sent.length))) return true;
  return false;
}

interface Place {
  readonly list: 'tools' | 'messages' | 'input';
  readonly at: number;
  /** Index in the message's content. */
  readonly within: number | null;
}

const PLACE =
  /\b(tools|messages|input)(?:\[|\.|\/)(\d{1,6})\]?(?:(?:\.|\/)(?:[A-Za-z]\w{0,60}(?:\.|\/))?content(?:\[|\.|\/)(\d{1,6}))?/gi;

function placesIn(text: string): readonly Place[] {
  return [...text.matchAll(PLACE)].slice(0, 20).map(([, list = '', at, within]) => ({
    list: list.toLowerCase() as Place['list'],
    at: Number(at),
    within: within === undefined ? null : Number(within),
  }));
}

function isAt(part: RequestPart, body: Json, list: Place['list'], at: number, within: number | null): boolean {
  if ((part.kind === 'tool') !== (list === 'tools')) return false;
  const entry = listOf(body[list])[at] as Json | undefined;
  const piece = within === null ? entry : (listOf(entry?.content)[within] ?? entry);
  const written = JSON.stringify(piece ?? '');
  return part.marks.some((mark) => mark !== '' && written.includes(mark));
}

function describeLeftOut(parts: readonly RequestPart[], model: string, error: ModelError | null): Words {
  const reported = error?.facts.reported;
  const quoted = reported ? words('It said: “{0}”', reported) : [];
  const ofKind = (kind: PartKind) => [...new Set(parts.filter((part) => part.kind === kind).map(({ name }) => name))];
  const [images, tools] = [ofKind('image'), ofKind('tool')];
  const history = [...ofKind('calls'), ...ofKind('result')];
  const foreign = tools.filter(isForeignTool);
  return [
    ...(images.length > 0
      ? words(
          'The endpoint refused an image ({0}). It is sent as its name, and so in later requests. If {1} takes no images, set "images": false for it in the setting palimpsest.endpoints.',
          listed(images),
          model,
        )
      : []),
    ...(tools.length > 0
      ? words('The endpoint refused a tool ({0}). Requests to {1} go without it.', listed(tools), model)
      : []),
    ...(foreign.length > 0 ? words('Switch it off for good in “MCP Servers…”.') : []),
    ...(history.length > 0
      ? words(
          'The endpoint refused earlier calls or results ({0}). They are sent as text, or only named.',
          listed([...new Set(history)]),
        )
      : []),
    ...quoted,
  ];
}

const MOST_LISTED = 8;

function listed(names: readonly string[]): string {
  const rest = names.length - MOST_LISTED;
  return [...names.slice(0, MOST_LISTED), ...(rest > 0 ? [`+${rest}`] : [])].join(', ');
}
