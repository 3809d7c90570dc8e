/**
 * How a request does without a field that an endpoint has refused: each dialect has one table of its optional fields, and
 * this finds the row that a refusal is about. Pure; linear in the refusal's text, which is bounded.
 */

import type { Refused } from '../core/errors.ts';
import { EFFORTS, type Effort, type ModelRequest } from '../core/model/modelClient.ts';
import { isServersOwn } from './errors/serverFault.ts';

/** A field that a dialect sends and can do without, or with another value. */
export interface OptionalField<Narrowing> {
  /** Under any of these names; `a.b` is the field `b` inside of `a`. */
  readonly names: readonly string[];
  /** Part of the messages, and not of the request itself. */
  readonly inMessages?: true;
  /** A text that refuses it in other words. */
  readonly words?: (text: string) => boolean;
  readonly isSent: (narrowing: Narrowing, request: ModelRequest) => boolean;
  readonly change:
    | Partial<Narrowing>
    | ((narrowing: Narrowing, refused: Refused, request: ModelRequest) => Partial<Narrowing> | null);
}

/** Null when the refusal is about none of the fields. Every field that its form names is left out at once. */
export function withoutRefused<Narrowing>(
  fields: readonly OptionalField<Narrowing>[],
  narrowing: Narrowing,
  refused: Refused,
  request: ModelRequest,
): Narrowing | null {
  const sent = fields.filter(({ isSent }) => isSent(narrowing, request));
  const placed = [...new Set(refused.fields.flatMap(({ path }) => fieldAt(sent, path) ?? []))];
  const ranked = placed.length > 0 ? placed : mostPlainly(within(fields, refused), sent, refused.text);
  let narrower = narrowing;
  for (const { change } of ranked) {
    const part = typeof change === 'function' ? change(narrower, refused, request) : change;
    if (part) narrower = { ...narrower, ...part };
  }
  return narrower === narrowing ? null : narrower;
}

/** The field among those sent that the text refuses; none where it refuses another, under the condition of this one. */
function mostPlainly<Narrowing>(
  fields: readonly OptionalField<Narrowing>[],
  sent: readonly OptionalField<Narrowing>[],
  text: string,
): readonly OptionalField<Narrowing>[] {
  const ranked = rankByText(fields, text);
  const found = ranked.find(({ field }) => sent.includes(field));
  return found && !(found.rank === AS_CONDITION && found !== ranked[0]) ? [found.field] : [];
}

/** The field whose name reaches farthest into `path`, as in `RefusedField`; undefined where none is in it. */
function fieldAt<Narrowing>(
  fields: readonly OptionalField<Narrowing>[],
  path: string,
): OptionalField<Narrowing> | undefined {
  const full = `.${path}.`;
  const isWithin = INSIDE.test(path);
  const isBare = !path.includes('.');
  let found: OptionalField<Narrowing> | undefined;
  let farthest = 0;
  for (const field of fields) {
    if (!isBare && isWithin !== (field.inMessages ?? false)) continue;
    for (const name of field.names) {
      const at = full.lastIndexOf(`.${name}.`);
      const end = at < 0 ? 0 : at + name.length;
      if (end > farthest) {
        farthest = end;
        found = field;
      }
    }
  }
  return found;
}

/** Texts of people and models, schemas of tools, and arguments of calls: a field's name in them is only a word. */
const ABOUT_CONTENT =
  /content[ _-]?(?:polic|filter|manag|moderat)|usage polic|moderation|flagged|invalid schema for function|(?:function_declarations|input_schema|function\.parameters|\bparameters\.properties)\b|(?:pars|decod)(?:e|ing)\b[^.\n]{0,40}\b(?:tool|function) calls?\b|\b(?:tool|function)[ _]?calls? arguments\b|\bfunction ['"`][\w.-]{1,128}['"`] has invalid/i;
/** The text of a message by its place. */
const WITHIN_CONTENT =
  /\b(?:messages|input|contents|system)(?:\[\d+\]|\.\d+)(?:\.|\[['"]?)(?:content|parts|text)\b(?!\.\d+\.cache)/i;

/** The fields that a refusal with this text, or these places, can be about. */
function within<Narrowing>(
  fields: readonly OptionalField<Narrowing>[],
  { text, fields: places }: Refused,
): readonly OptionalField<Narrowing>[] {
  const start = text.slice(0, LONGEST_WORDS);
  if (ABOUT_CONTENT.test(start) || isServersOwn(start)) return [];
  const isInside = WITHIN_CONTENT.test(start) || places.some(({ path }) => INSIDE.test(path));
  return isInside ? fields.filter(({ inMessages }) => inMessages) : fields;
}

const INSIDE = /^(?:messages|input|contents|system|tools|prompt)\../;

/** From the field that the text most plainly refuses; none that it only lists as allowed. */
function rankByText<Narrowing>(
  fields: readonly OptionalField<Narrowing>[],
  text: string,
): readonly (Mention & { readonly field: OptionalField<Narrowing> })[] {
  return fields
    .flatMap((field) => {
      const marks = field.names.flatMap((name) => mentions(text, name));
      if (field.words?.(text.slice(0, LONGEST_WORDS))) marks.push({ rank: 1, at: 0 });
      marks.sort(byRank);
      return marks[0] ? [{ field, ...marks[0] }] : [];
    })
    .sort(byRank);
}

interface Mention {
  /** 0: named and refused; 1: named next to words of refusal; 2: a name that occurs nowhere else; 3: `AS_CONDITION`. */
  readonly rank: number;
  readonly at: number;
}

/** Named as that under which another field is refused. */
const AS_CONDITION = 3;
const CONDITION = /\b(?:when|whenever|if|while|unless|once|as long as)\b[^,;:]{0,80}$/i;

const byRank = (a: Mention, b: Mention) => a.rank - b.rank || a.at - b.at;

/** Characters in which other words are looked for: some patterns take quadratic time. */
const LONGEST_WORDS = 4_000;
/** Characters of a sentence that belong to a name in it. */
const NEAR = 120;
const MOST_MENTIONS = 100;

const REFUSING =
  /unsupported|\bnot (?:currently |yet )?(?:be )?(?:an? )?(?:supported|permitted|allowed|accepted|valid|recogni[sz]ed|known|available|implemented|expected|defined|enabled|used|set|specified|provided|exist)|n['’o]t (?:currently )?(?:support|accept|recogni[sz]e|allow|take|exist|have)|can ?not|unknown|unrecogni[sz]ed|unexpected|\bextra\b|extra_forbidden|additional propert|deprecated|cannot find field|invalid|illegal|disallow|forbid|reject|refus|incompatible|must|should (?:be|not)|ha(?:s|ve) to|(?:can|may) only|expected|only .{0,60}(?:supported|allowed|default)|removed?\b|too (?:large|high|big)|exceed|no such|不支持|不被支持|未知|无效|非法|不允许|不能|错误|不合法|无法识别|不存在|超过|超出|有误|应为|必须|サポートされ|対応してい|無効|pas (?:pris|prise|support|autoris|valide)|no (?:es )?(?:compatible|admit|soporta|válid)|nicht (?:unterstützt|erlaubt|gültig|zulässig)/i;

/** Before the names of fields or values that are allowed. */
const ALLOWED =
  /(?<!not |not be |not an? |un|in|n['’]t |不|无)(?:(?:allowed|supported|valid|permitted|expected|accepted|known|possible|available|supports|accepts|allows)(?![a-z])|有效|支持|允许)(?:[\w ]{0,40}?(?::|\bare\b|\bone of\b|\bis\b|：|为)| values?\b)[^.;。；]*$/i;
const INSTEAD = /\b(?:use|try|with|replaced by|renamed to|favou?r of|switch to|请使用|改用)\s*[`'"“]?$/i;

function mentions(text: string, name: string): Mention[] {
  const found: Mention[] = [];
  let looks = 0;
  for (const { index, 0: whole } of text.matchAll(tokenOf(name))) {
    if (looks++ >= MOST_MENTIONS) break;
    const before = text.slice(Math.max(0, index - NEAR), index).replace(/^[\s\S]*(?:[.!?](?=\s)|。|\n\n)/, '');
    if (ALLOWED.test(text.slice(Math.max(0, index - 500), index)) || INSTEAD.test(before)) continue;
    const after =
      text.slice(index + whole.length, index + whole.length + NEAR).split(/[.!?](?=\s)|。|\n\n/, 1)[0] ?? '';
    const isRefused = REFUSING.test(`${before} ${after}`);
    const isMarked = /[`'"“‘«[(]$/.test(before) || /^\s*[`'"”’»\])]?\s*[:=]/.test(after) || /[_.]/.test(name);
    if (isRefused && CONDITION.test(before)) found.push({ rank: AS_CONDITION, at: index });
    else if (isRefused) found.push({ rank: isMarked ? 0 : 1, at: index });
    else if (/_/.test(name)) found.push({ rank: 2, at: index });
  }
  return found;
}

const tokens = new Map<string, RegExp>();

/** The name as a word of its own: `a.b` also as `a[b]` and `a/b`. */
function tokenOf(name: string): RegExp {
  const known = tokens.get(name);
  if (known) return known;
  const made = new RegExp(
    `(?<![\\w-])${name.replaceAll('.', '(?:\\.|/|\\[[\'"]?)')}(?![\\w-]|\\.\\w|\\[['"]?[a-z])`,
    'gi',
  );
  tokens.set(name, made);
  return made;
}

/** Models that do not think, or cannot do without. */
export const REFUSED_EFFORT =
  /does n[o'’]t support (?:thinking|reasoning)\b|reasoning is (?:mandatory|required|not)|(?:thinking|reasoning) (?:effort|level|mode)?\s?[^.]{0,40}(?:not supported|unsupported|cannot be)|\bthink value\b/i;

/** Servers refuse the parameter, or its only value in use. */
export const REFUSED_CHOICE = /\btool[ _]choice\b|no endpoints found[^.]{0,80}\btool_choice\b/i;

/** Numbers of a text that are not part of a name or a date. */
const NUMBER = /(?<![\w.$-])\d{1,3}(?:[,_]\d{3})+(?![\w-])|(?<![\w.$-])\d{2,9}(?![\w-]|\.\d)/g;
/** Tokens: no limit of an answer is smaller. */
const LEAST_LIMIT = 16;
const LIMITED =
  /exceed|too (?:large|high|big|many)|at most|up to|less than|greater than|(?:larg|high|bigg)er than|maximum|\bmax(?:imal)?\b|limit|range|between|[<>≤]|supports|超过|超出|大于|范围|最大|上限|不能|\[\d+ ?, ?\d+\]/i;

/** The greatest limit below `sent` tokens that a refusal of an answer's length names; undefined where it names none. */
export function namedLimit({ text, fields }: Refused, sent: number): number | undefined {
  const all = [text, ...fields.map(({ says }) => says)].join('\n').slice(0, 20_000);
  if (!LIMITED.test(all)) return undefined;
  const numbers = [...all.matchAll(NUMBER)].map(([digits]) => Number(digits.replace(/[,_]/g, '')));
  const fitting = numbers.filter((number) => number >= LEAST_LIMIT && number < sent);
  return fitting.length > 0 ? Math.max(...fitting) : undefined;
}

/** The efforts that a refusal lists as allowed; empty where it lists none. */
function listedEfforts({ text, fields }: Refused): readonly Effort[] {
  const all = [text, ...fields.map(({ says }) => says)].join('\n').slice(0, 20_000);
  const list =
    /(?:supported|allowed|valid|permitted|expected|accepted|possible|available|one of|must be|should be|supports|accepts|支持|可选|应为|必须)[^.。]{0,40}?(?=[`'"“([]?\b(?:none|minimal|low|medium|high|xhigh|max)\b)([^.。;\n]{0,200})/gi;
  const named = [...all.matchAll(list)].flatMap(({ 1: part = '' }) => part.toLowerCase().match(/[a-z]+/g) ?? []);
  return EFFORTS.filter((effort) => named.includes(effort));
}

/** The values to send instead of a refused effort; null when the effort is left out. */
export function otherEfforts(refused: Refused, { effort }: ModelRequest): readonly Effort[] | null {
  if (!effort) return null;
  const listed = listedEfforts(refused).filter((each) => each !== effort);
  if (listed.length > 0 && !listedOnly(refused, effort)) return listed;
  const isNamed = new RegExp(`\\b${effort}\\b`, 'i').test(
    [refused.text, ...refused.fields.map(({ says }) => says)].join('\n'),
  );
  if (!isNamed) return null;
  if (effort === 'xhigh') return ['low', 'medium', 'high'];
  return effort === 'minimal' ? ['low', 'medium', 'high', 'xhigh'] : null;
}

/** The refused value is in the list: something else is refused. */
function listedOnly(refused: Refused, effort: Effort): boolean {
  const listed = listedEfforts(refused);
  return (
    listed.includes(effort) &&
    listed.length >= 3 &&
    !new RegExp(`['"\`]${effort}['"\`][^.]{0,40}not`, 'i').test(refused.text)
  );
}

/** The nearest of the allowed efforts, the lower of two equally near; the effort itself where all are. */
export function nearestEffort(effort: Effort, allowed: readonly Effort[] | null): Effort {
  if (!allowed || allowed.length === 0 || allowed.includes(effort)) return effort;
  const distance = (each: Effort) => Math.abs(EFFORTS.indexOf(each) - EFFORTS.indexOf(effort));
  return allowed.reduce((nearest, each) => (distance(each) < distance(nearest) ? each : nearest));
}
