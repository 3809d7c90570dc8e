/** The sentences that people see: singular and plural, and how Chinese is set. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listTexts } from '../../../scripts/manifest/findTranslations.ts';
import { ROOT } from '../../../scripts/paths.ts';

const texts = listTexts();
const chinese: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(ROOT, 'l10n/bundle.l10n.zh-cn.json'), 'utf8'),
);

/** A number and the noun that it counts; up to two words stand between them. */
const COUNTED = /\{\d\} (?:(?!of |and |or |for |to |in |is |has )[a-z]+ ){0,2}?([a-z]+s)\b/g;

/** Words in that place that count nothing. */
const VERBS = new Set(
  'accepts already always answers as asks belongs carries changes compacts contains costs declares does ends expires decides fits follows forbids goes has hidden holds imports instructions is its keeps leads lies limits lists looks misses names needs points reads redirects refers says sends status takes this uses wants was works'.split(
    ' ',
  ),
);

/** Units, of which there are always many where the product counts in them. */
const UNITS = new Set(['bytes', 'characters', 'ms', 'pixels', 'tokens']);

/** The same in the singular, by the sentence for other numbers. */
const SINGULAR: Readonly<Record<string, string>> = {
  'At least {0} files, +{1} −{2}': 'At least one file, +{0} −{1}',
  'Expand: {0} more results come back, {1} tokens': 'Expand: one more result comes back, {0} tokens',
  'Put {0} files back as they were before': 'Put one file back as it was before',
  'The changes to {0} files were taken back. The model is told.':
    'The changes to {0} were taken back. The model is told.',
  'The summary takes about {0} requests, which read {1} tokens in all and cost about {2}.':
    'The summary takes one request, which reads {0} tokens and costs about {1}.',
  'The summary takes about {0} requests, which read {1} tokens in all.':
    'The summary takes one request, which reads {0} tokens. Its cost is unknown.',
  'Why {0} lines were kept': 'Why 1 line was kept',
  'removes {0} messages, {1} → {2} tokens': 'removes 1 message, {0} → {1} tokens',
  '{0} commands repeated': '1 command repeated',
  '{0} facts kept': '1 fact kept',
  '{0} files were restored.': 'One file was restored.',
  '{0} files, +{1} −{2}': 'One file, +{0} −{1}',
  '{0} messages': '1 message',
  '{0} messages and results': '1 message or result',
  '{0} messages and results, {1} tokens before': '1 message or result, {0} tokens before',
  '{0} models': '1 model',
  '{0} other parts': '1 other part',
  '{0} other sessions are waiting for your answer.': 'Another session waits for your answer.',
  '{0} parts': '1 part',
  '{0} questions are waiting for you': '1 question is waiting for you',
  '{0} other sessions have ended.': 'Another session has answered.',
  '{0} requests': '1 request',
  '{0}; the {1} messages since then are kept as a branch': '{0}; the message since then is kept as a branch',
  '{0} reads repeated': '1 read repeated',
  '{0} tools': '1 tool',
  '{0}, without {1} requests of unknown price': '{0}, without 1 request of unknown price',
};

/** Sentences whose number is never one, by the reason. */
const NEVER_ONE: readonly (readonly [why: string, begins: readonly string[]])[] = [
  [
    'a limit, which is more than one',
    [
      'A message can have at most',
      'Also at',
      'At most',
      'At the limit the oldest',
      'Compaction starts at',
      'It changed its tools more than',
      'It ended its stream of messages more than',
      'It flooded the connection',
      'It is nested more than',
      'Its answer is nested more than',
      'Only the first',
      'Only with at least',
      'Summaries by {0} failed',
      'The MCP server {0} has asked you',
      'The answer from {0} cannot be read',
      'The answer from {0} was stopped here',
      'The answer had {0} tool calls',
      'The context has {0} messages and results, as many',
      'The model refused the request as too long',
      'The open folders hold more than',
      'The summary model {0} refused',
      'The turn reached its limit',
      'Tools of MCP servers left out',
      'Tools of extensions left out',
      'You declined',
      'it asked the model more than',
      'it did not answer within',
      'it failed {0} times',
      'it returned {0} messages for',
      'it wrote more than',
      'its settings has more than',
      '{0} messages are already waiting',
      '{0} refused this request',
      '{0} sessions are at work',
      '{0} takes at most',
      '{0} takes more than',
    ],
  ],
  [
    'said of several only',
    [
      'Ask again about all',
      'Read one file',
      'Read {0} files',
      'The summary takes about {0} requests, which read {1} tokens, so it is not made',
      'it holds {0} sessions',
      '{0} calls',
      '{0} models: type a part',
      '“{0}” fits the file in {1} places',
    ],
  ],
  [
    'a part of a whole',
    ['{0} of {1} replays', '{0} of {1} sessions say', '{0}: in {1} of {2}', '{0}: {1} of {2} runs'],
  ],
  ['a difference that is rarely whole', ['{0} follows, {1} points behind']],
];

const counted = texts.filter((text) =>
  [...text.matchAll(COUNTED)].some(([, noun = '']) => !VERBS.has(noun) && !UNITS.has(noun)),
);

describe('a number and what it counts', () => {
  it('has a sentence for one, or is never one', () => {
    const known = NEVER_ONE.flatMap(([, begins]) => begins);
    const open = counted.filter((text) => !(text in SINGULAR) && !known.some((begins) => text.startsWith(begins)));
    expect(open).toEqual([]);
  });

  it('is chosen between sentences that are both shown', () => {
    const gone = Object.entries(SINGULAR)
      .flat()
      .filter((text) => !texts.includes(text));
    expect(gone).toEqual([]);
    const unused = NEVER_ONE.flatMap(([, begins]) => begins).filter(
      (begins) => !counted.some((text) => text.startsWith(begins)),
    );
    expect(unused).toEqual([]);
  });

  it('follows the rules of both languages: English has one and other, Chinese the same for all', () => {
    const forms = (language: string) => new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    expect(forms('en').toSorted()).toEqual(['one', 'other']);
    expect(forms('zh-CN')).toEqual(['other']);
    // The product compares with 1, which is what the rule of English says of whole numbers.
    const english = new Intl.PluralRules('en');
    for (let n = 0; n < 200; n++) expect(english.select(n)).toBe(n === 1 ? 'one' : 'other');
    // No translation has a plural of its own.
    expect(
      Object.values(chinese).filter((text) =>
        /\btokens\b/.test(text.replace(/`[^`]*`/g, '').replace(/\d+ tokens/g, '')),
      ),
    ).toEqual([]);
  });
});

describe('Chinese', () => {
  const HAN = '\\p{Script=Han}';
  /** Without code, names of settings and links, which keep their own form. */
  const prose = Object.values(chinese).map((text) => text.replace(/`[^`]*`|\[[^\]]*\]\([^)]*\)|\*\*?[^*]+\*\*?/g, 'x'));
  it.each([
    ['a blank between Chinese and a Latin word or a number', new RegExp(`${HAN}[A-Za-z0-9]|[A-Za-z0-9]${HAN}`, 'u')],
    ['no blank between Chinese characters', new RegExp(`${HAN} +${HAN}`, 'u')],
    ['no blank beside a full-width mark', /[^ ] +[，。；：！？、）”]|[，。；：！？、（“] +[^ ]/u],
    ['full-width marks after Chinese', new RegExp(`${HAN}[,;:!?]`, 'u')],
    ['a measure word before tokens', /(?:\}|\d) token(?!s)/u],
  ])('has %s', (_, fault) => {
    expect(prose.filter((text) => fault.test(text))).toEqual([]);
  });
});
