/**
 * The texts that a person is shown can be found in the source, and their Chinese sentences have the same places for values.
 * What is not translated yet is a warning here, and for a release a reason to wait.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  compareTexts,
  describeTranslations,
  listArguments,
  listTexts,
} from '../../../scripts/manifest/findTranslations.ts';
import { ManifestWords } from '../../../scripts/manifest/manifestWords.ts';
import { ROOT } from '../../../scripts/paths.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';

const readJson = (name: string): Record<string, string> => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
const places = (text: string) => [...text.matchAll(/\{\d+\}/g)].map(([place]) => place).sort();

const { literals, others } = listArguments();
const texts = listTexts(literals);
const chinese = readJson('l10n/bundle.l10n.zh-cn.json');

describe('texts of host, panel and manifest, and words of the core and the providers', () => {
  it('are all found, and those without a Chinese sentence are named in a warning', () => {
    expect(texts.length).toBeGreaterThan(1_000);
    const lines = describeTranslations(compareTexts(texts, Object.keys(chinese)));
    if (lines.length) console.warn(lines.join('\n'));
  });

  it('are sentences in the source, never made by code', () => {
    // Words that others wrote with `words`, and texts of the tables of commands and strategies.
    const handedOn = new Set(['text', 'label', 'description', 'help', 'title']);
    expect(others.filter((text) => !handedOn.has(text))).toEqual([]);
    const labels = BUILT_IN_STRATEGIES.map(({ label }) => label);
    const joined = texts.filter((text) => labels.filter((label) => text.includes(label)).length > 2);
    expect(joined).toEqual([]);
  });

  it('stand in the order of their English', () => {
    expect(Object.keys(chinese)).toEqual(Object.keys(chinese).sort());
  });

  it('have the same places for values in both languages', () => {
    expect(Object.entries(chinese).map(([text, translated]) => [text, places(translated)])).toEqual(
      Object.entries(chinese).map(([text]) => [text, places(text)]),
    );
  });
});

describe('texts of the manifest', () => {
  const english = readJson('package.nls.json');
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const named = [...new Set([...manifest.matchAll(/"%([\w.-]+)%"/g)].map(([, key]) => key ?? ''))].sort();

  it('are all there in English, and none is left over', () => {
    expect(Object.keys(english).sort()).toEqual(named);
  });

  it('are all there in the Chinese file', () => {
    expect(Object.keys(readJson('package.nls.zh-cn.json')).sort()).toEqual(named);
  });

  it('stay English where a sentence has no translation, each by itself', () => {
    const words = new ManifestWords();
    words.say('a', 'Stop');
    words.say('b', 'Parameters: {0}.', (translate) =>
      translate('Parameters: {0}.').replace('{0}', translate('Layered')),
    );
    expect([...words.sentences]).toEqual(['Stop', 'Parameters: {0}.', 'Layered']);
    expect(words.translate({ 'Parameters: {0}.': '参数：{0}。' })).toEqual({ a: 'Stop', b: '参数：Layered。' });
    expect(words.english).toEqual({ a: 'Stop', b: 'Parameters: Layered.' });
  });
});
