import { describe, expect, test } from 'vitest';
import {
  decideApproval,
  NO_GRANTS,
  rememberAnswer,
  type SessionGrants,
  type ToolClass,
  type WorkspaceTrust,
  withoutGrant,
} from '../../../src/core/tools/approvals.ts';

const CLASSES: readonly ToolClass[] = ['read', 'write', 'run'];
const TRUSTS: readonly WorkspaceTrust[] = ['trusted', 'untrusted', 'noFolder'];
const granting = (...allowed: ToolClass[]): SessionGrants => ({
  allowed: new Set(allowed),
  denied: new Set(),
  named: new Map(),
});
const denying = (...denied: ToolClass[]): SessionGrants => ({
  allowed: new Set(CLASSES),
  denied: new Set(denied),
  named: new Map(),
});

function decide(
  toolClass: ToolClass,
  more: { guarded?: boolean; trust?: WorkspaceTrust; grants?: SessionGrants } = {},
) {
  return decideApproval({ toolClass, guarded: false, trust: 'trusted', mode: 'act', grants: NO_GRANTS, ...more }).kind;
}

describe('decideApproval', () => {
  test('reading runs, writing and running ask', () => {
    expect(CLASSES.map((toolClass) => decide(toolClass))).toEqual(['allow', 'ask', 'ask']);
  });

  test('"allow for this session" covers plain writes only', () => {
    const grants = granting('read', 'write', 'run');
    expect(CLASSES.map((toolClass) => decide(toolClass, { grants }))).toEqual(['allow', 'allow', 'ask']);
    expect(decide('write', { grants, guarded: true })).toBe('ask');
  });

  test('deny beats allow, for every class', () => {
    expect(CLASSES.map((toolClass) => decide(toolClass, { grants: denying(toolClass) }))).toEqual([
      'refuse',
      'refuse',
      'refuse',
    ]);
  });

  test('an untrusted workspace is for reading, whatever was granted; no folder is for nothing', () => {
    const grants = granting('read', 'write', 'run');
    const table = TRUSTS.map((trust) => CLASSES.map((toolClass) => decide(toolClass, { trust, grants })));
    expect(table).toEqual([
      ['allow', 'allow', 'ask'],
      ['allow', 'refuse', 'refuse'],
      ['refuse', 'refuse', 'refuse'],
    ]);
  });

  test('a refusal says why', () => {
    expect(
      decideApproval({ toolClass: 'run', guarded: false, trust: 'untrusted', mode: 'act', grants: NO_GRANTS }),
    ).toEqual({
      kind: 'refuse',
      reason: 'This workspace is not trusted: only reading is possible until the user trusts it.',
    });
  });
});

describe('a call that is granted by itself', () => {
  const grant = (standing: 'allow' | 'deny' | null) => ({ covers: [{ key: 'tool', title: 'a tool' }], standing });
  const ask = (standing: 'allow' | 'deny' | null, grants = NO_GRANTS, guarded = false) =>
    decideApproval({ toolClass: 'mcp', guarded, trust: 'trusted', mode: 'act', grants, grant: grant(standing) }).kind;
  const named = (...keys: string[]): SessionGrants => ({ ...NO_GRANTS, named: new Map(keys.map((key) => [key, key])) });

  test('asks until it was allowed for the session or for good; another one’s grant does not count', () => {
    expect([ask(null), ask('allow'), ask(null, named('tool')), ask(null, named('other'))]).toEqual([
      'ask',
      'allow',
      'allow',
      'ask',
    ]);
    expect(ask(null, granting('mcp', 'write'))).toBe('ask');
  });

  test('deny beats allow, and a guarded call is never granted', () => {
    expect(ask('deny', named('tool'))).toBe('refuse');
    expect(ask('allow', denying('mcp'))).toBe('refuse');
    expect([ask('allow', NO_GRANTS, true), ask(null, named('tool'), true)]).toEqual(['ask', 'ask']);
  });

  test('is not made in a workspace that is not trusted, whatever was allowed for good', () => {
    const asked = {
      toolClass: 'mcp',
      guarded: false,
      mode: 'act',
      grants: named('tool'),
      grant: grant('allow'),
    } as const;
    expect(TRUSTS.map((trust) => decideApproval({ ...asked, trust }).kind)).toEqual(['allow', 'refuse', 'refuse']);
  });

  test('an answer for the session names it and no class; one for good is kept where it can be taken back', () => {
    const asked = { toolClass: 'mcp', mayRemember: true, grant: grant(null) } as const;
    const after = rememberAnswer(NO_GRANTS, asked, { kind: 'allow', remember: 'session' });
    expect([[...after.named], [...after.allowed]]).toEqual([[['tool', 'a tool']], []]);
    expect([...withoutGrant(after, { key: 'other' }).named]).toHaveLength(1);
    expect(withoutGrant(after, { key: 'tool' })).toEqual(NO_GRANTS);
    const writes = { ...after, allowed: new Set(['write'] as const) };
    expect(withoutGrant(writes, { toolClass: 'write' })).toEqual(after);
    expect(rememberAnswer(NO_GRANTS, asked, { kind: 'allow', remember: 'always' })).toBe(NO_GRANTS);
    const once = { ...asked, mayRemember: false };
    expect(rememberAnswer(NO_GRANTS, once, { kind: 'allow', remember: 'session' })).toBe(NO_GRANTS);
  });
});

describe('rememberAnswer', () => {
  test.each([
    ['write', true, { kind: 'allow', remember: 'session' }, ['write']],
    ['write', false, { kind: 'allow', remember: 'session' }, []],
    ['write', true, { kind: 'allow', remember: 'no' }, []],
    ['write', true, { kind: 'deny' }, []],
    ['run', true, { kind: 'allow', remember: 'session' }, []],
  ] as const)('%s, may be remembered: %s, %j', (toolClass, mayRemember, answer, allowed) => {
    expect([...rememberAnswer(NO_GRANTS, { toolClass, mayRemember }, answer).allowed]).toEqual(allowed);
    expect(NO_GRANTS.allowed.size).toBe(0);
  });
});
