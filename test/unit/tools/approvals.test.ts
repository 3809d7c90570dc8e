import { describe, expect, test } from 'vitest';
import type { ToolClass } from '../../../src/core/ports.ts';
import {
  decideApproval,
  NO_GRANTS,
  rememberAnswer,
  type SessionGrants,
  type WorkspaceTrust,
} from '../../../src/core/tools/approvals.ts';

const CLASSES: readonly ToolClass[] = ['read', 'write', 'run'];
const TRUSTS: readonly WorkspaceTrust[] = ['trusted', 'untrusted', 'noFolder'];
const granting = (...allowed: ToolClass[]): SessionGrants => ({ allowed: new Set(allowed), denied: new Set() });
const denying = (...denied: ToolClass[]): SessionGrants => ({ allowed: new Set(CLASSES), denied: new Set(denied) });

function decide(
  toolClass: ToolClass,
  more: { guarded?: boolean; trust?: WorkspaceTrust; grants?: SessionGrants } = {},
) {
  return decideApproval({ toolClass, guarded: false, trust: 'trusted', grants: NO_GRANTS, ...more }).kind;
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
      ...['refuse', 'refuse', 'refuse'],
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
    expect(decideApproval({ toolClass: 'run', guarded: false, trust: 'untrusted', grants: NO_GRANTS })).toEqual({
      kind: 'refuse',
      reason: 'This workspace is not trusted: only reading is possible until the user trusts it.',
    });
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
