/**
 * *Redact* on random journals: whatever the text is, also when it is a word of the journal itself, the journal opens and
 * folds as before, shows the text nowhere, and has lost nothing else.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lowerContext } from '../../../src/core/context/lower.ts';
import type { Journal } from '../../../src/core/journal/journal.ts';
import { isObject, parseJson } from '../../../src/core/json.ts';
import { checkSession } from '../../../src/node/storage/sessions/checkSession.ts';
import { redactSession } from '../../../src/node/storage/sessions/redactSession.ts';
import { SessionStore } from '../../../src/node/storage/sessions/sessionStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { actions, isQuiescent, perform } from '../../unit/journal/actions.ts';
import { pairingFault } from '../../unit/journal/reference.ts';

const WORDS = ['user', 'message', 'assistant', 'summary', 'compaction', 'text', 'kind', 'arguments', 'toolCalls'];
const SIGNS = ['true', 'null', '2026', '1234', '"user"', 'user"', '"crc', 'inner', 'configured', 'parameters', 'drop'];
const SECRETS = ['hunter2', 'pa"ss\\word', 'line\nbreak', '字🙂 字', '/etc/secret', 'système'];

const secrets = fc.constantFrom(...WORDS, ...SIGNS, ...SECRETS);

/** Arguments with the secret `depth` times inside of JSON that is a string in JSON. */
function nested(secret: string, depth: number): string {
  let value: unknown = { note: `say ${secret}!`, pin: 1234, yes: true, none: null, list: [secret, 'else'] };
  for (let level = 0; level < depth; level++) value = { inner: JSON.stringify(value), level, other: ['kept', '\n"\\'] };
  return JSON.stringify(value, null, depth % 2 ? 1 : undefined);
}

/** The value with every string that is JSON read as what it says. */
function unfold(value: unknown): unknown {
  if (typeof value === 'string') {
    const inner = /^\s*[[{"]/.test(value) ? parseJson(value) : undefined;
    return inner === undefined ? value : unfold(inner);
  }
  if (Array.isArray(value)) return value.map(unfold);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unfold(each)]));
}

/** What differs without being the secret: a path for each. */
function losses(before: unknown, after: unknown, secret: string, path = ''): string[] {
  if (Object.is(before, after)) return [];
  // A secret may stand in several strings at once only by its own quotes.
  const bare = secret.replace(/^"|"$/g, '');
  if (!isObject(before) && !Array.isArray(before)) {
    const texts = [String(before).split(bare), String(after).split('[redacted]')];
    const same = texts[0]?.join('\0').replaceAll('"', '') === texts[1]?.join('\0').replaceAll('"', '');
    const name = String(before).replaceAll(bare, 'redacted') === after;
    return same || name ? [] : [`${path}: ${String(before)} → ${String(after)}`];
  }
  const [one, other] = [Object.entries(before as object), Object.entries((after ?? {}) as object)];
  if (one.length !== other.length) return [`${path}: ${one.length} fields → ${other.length}`];
  return one.flatMap(([key, each], at) => {
    const [name, now] = other[at] ?? ['', undefined];
    return [...losses(key, name, secret, `${path}.${key}`), ...losses(each, now, secret, `${path}.${key}`)];
  });
}

/** All that a person or a model reads of the conversation, as it is said. */
function* told(journal: Journal): Generator<string> {
  for (const { message } of journal.context.slots()) {
    yield message.text;
    if (message.role !== 'assistant') continue;
    if (message.reasoning) yield message.reasoning.text;
    for (const call of message.toolCalls ?? []) yield* strings(unfold(call.arguments));
  }
  yield journal.title ?? '';
}

function* strings(value: unknown): Generator<string> {
  if (!isObject(value) && !Array.isArray(value)) yield String(value);
  else for (const [key, each] of Object.entries(value)) yield* [key, ...strings(each)];
}

const factsOf = ({ context }: Journal) =>
  context.conversation.map(({ id, kind, tokens, block, round, pinned, hidden }) => [
    id,
    kind,
    tokens,
    block,
    round,
    pinned,
    hidden,
  ]);

it('redacts any text from any journal, and nothing else is lost', { timeout: 300_000 }, async () => {
  const ports = { clock: testClock(), crypto: testCrypto() };
  const property = fc.asyncProperty(actions(14), secrets, fc.nat(9), async (list, secret, depth) => {
    const folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
    try {
      const store = new SessionStore({ folder, workspace: null, engine: 'palimpsest/test', ...ports });
      const { journal, id, folder: path } = await store.create();
      for (const action of list) await perform(journal, action);
      if (!isQuiescent(journal)) await perform(journal, { do: 'abandon' });
      const parameters = { inner: { type: 'string', note: secret, deep: [[secret]] }, share: 0.5 };
      await journal.append({ type: 'configured', model: 'm', endpoint: 'demo:', window: 9, strategy: 's', parameters });
      const kind = 'user';
      await journal.append({ type: 'message', message: { role: 'user', kind, text: `my ${secret} it is` }, tokens: 3 });
      const toolCalls = [{ id: 'call-last', name: 'write_file', arguments: nested(secret, depth) }];
      await journal.append({ type: 'message', message: { role: 'assistant', text: '', toolCalls }, tokens: 3 });
      const result = { toolCallId: 'call-last', toolName: 'write_file', text: nested(secret, depth) };
      await journal.append({ type: 'message', message: { role: 'tool', ...result }, tokens: 3 });
      await journal.append({ type: 'title', title: `About ${secret}` });
      const entries = [...journal.entries];
      const facts = factsOf(journal);
      const findings = async () => (await checkSession(path, id, ports)).findings;
      await journal.close();
      const before = await findings();

      const report = await redactSession(path, [secret], ports.crypto);
      expect(report.removedLines).toBe(0);
      expect(await findings()).toEqual(before);
      const { journal: now } = await store.open(id);
      expect(factsOf(now)).toEqual(facts);
      expect(pairingFault(lowerContext(now.context))).toBe(null);
      expect(now.entries.length).toBe(entries.length);
      expect(now.entries.flatMap((entry, at) => losses(unfold(entries[at]), unfold(entry), secret))).toEqual([]);
      const shown = [...told(now)].filter((text) => text.includes(secret));
      expect(shown).toEqual([]);
      await now.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
  await fc.assert(property, { numRuns: 120 });
});
