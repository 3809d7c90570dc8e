/** What is kept of a failed call: its message and place, in the forms of the usual runners and in recorded sessions. */

import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CallLog } from '../../../src/core/calls/callLog.ts';
import { onlyShows, scriptOf } from '../../../src/core/calls/commandsInCalls.ts';
import { findErrorMessage } from '../../../src/core/calls/errorMessage.ts';
import { importRecorded } from '../../../src/core/sessions/importRecorded.ts';
import { newImportReport } from '../../../src/core/sessions/recorded.ts';
import { FAILED_RUNS } from '../../support/outputs/failedRuns.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { findRecordedSessions, readRecording } from '../../support/sessions/recordedSessions.ts';

const keptOf = (output: string, command: string | null = 'make', exitCode: number | undefined = 1) =>
  findErrorMessage(output, { command, exitCode, shows: command !== null && onlyShows(command) })?.text ?? null;

describe.each([...new Set(FAILED_RUNS.map(({ runner }) => runner))])('the message of a failed run: %s', (runner) => {
  it.each(FAILED_RUNS.filter((run) => run.runner === runner))(
    '$about',
    { tags: ['B5'] },
    ({ output, command, keeps }) => {
      const kept = keptOf(output, command) ?? '';
      expect(
        keeps.filter((words) => !kept.includes(words)),
        kept,
      ).toEqual([]);
    },
  );
});

describe('the message of a failed call', () => {
  it.each([
    '✓ handles error',
    '0 errors',
    'error_test.go ok',
    'PASS src/error.test.ts',
    '[info] error handler registered',
    'ok  \texample.com/errors\t0.1s',
    'test error::tests::fails ... ok',
    'tests/test_error.py::test_failure PASSED [ 50%]',
    'CartTest > failsWithError() PASSED',
    '  Passed Shop.ErrorTests.Fails [1 ms]',
    '2026-01-01 10:00:00 INFO failed=0 error=none',
    'level=info msg="error reporting on"',
    'Compiling thiserror v1.0.63',
    'gcc -c error.c -o error.o',
    'modified:   src/error.ts',
    ' src/error.ts | 5 +++--',
    'warning: unused variable: `error`',
    'found 0 errors, 0 failures',
  ])('is not %j', { tags: ['B5'] }, (herring) => {
    const about = (before: string, after: string) => keptOf(`${before}\nTypeError: fox is not a function\n${after}`);
    expect(about(herring, '')).toBe('TypeError: fox is not a function');
    expect(about('', herring)).toBe('TypeError: fox is not a function');
    expect(keptOf(`${herring}\n${'nothing else to see here\n'.repeat(9)}`)).toBeNull();
  });

  it('is not a bare line, unless there is no other', { tags: ['B5'] }, () => {
    const bare = [
      'Error:',
      'FAILED',
      'FAIL suite/fox',
      '1 failed, 3 passed',
      '--- FAIL: TestFox (0.00s)',
      'make: *** [all] Error 2',
    ];
    for (const line of bare) {
      expect(keptOf(`${line}\nthe fox cannot be found\n`)).toContain('the fox cannot be found');
      expect(keptOf(`the fox cannot be found\n${line}\n`)).toContain('the fox cannot be found');
    }
    expect(keptOf('ok so far\nFAIL suite/fox\n1 failed, 3 passed')).toBe('FAIL suite/fox');
  });

  it('is not what a file says that a command shows', { tags: ['B5'] }, () => {
    const shown = "import { log } from './log.ts';\nthrow new Error('fox: not found');\nerror: message,\n";
    expect(
      keptOf(`${shown}sed: can't read b.ts: No such file or directory`, "sed -n '1,9p' a.ts && sed -n '1,9p' b.ts"),
    ).toBe("sed: can't read b.ts: No such file or directory");
    expect(keptOf(shown, 'grep -n "error" src | head')).toBeNull();
  });

  it('is the first line of another tool, without its tags', { tags: ['B5'] }, () => {
    const text =
      '<tool_use_error>String to replace not found in file.\nString: throw new Error("fox: not here")</tool_use_error>';
    expect(keptOf(text, null, undefined)).toBe('String to replace not found in file.');
  });
});

/** Says nothing of what went wrong. */
const BARE =
  /^(?:error|failed?|failures?|--- FAIL|FAIL\b.*|exit code|\d+ (?:failed|errors?))[\s:.!\d()]*$|^FAIL\s|^--- FAIL|exited with code \d+$/i;
const HEAD =
  /^(?:(?:Process exited with|Exit|exit|Command exited with) code.*|Chunk ID.*|Wall time.*|Original token count.*|Output:|\(no output\)|\s*)$/;

describe.skipIf(!process.env.PALIMPSEST_SESSIONS)('recorded sessions', () => {
  it('of a hundred failed commands that say something, 95 keep what they say', { tags: ['B5', 'long'] }, async () => {
    let [all, kept] = [0, 0];
    const lost: string[] = [];
    for (const path of findRecordedSessions()) {
      const { journal } = await memoryJournal();
      async function* lines() {
        yield* readRecording(path).split('\n');
      }
      await importRecorded('normal', lines(), newImportReport(), async () => journal);
      const log = new CallLog();
      for (const entry of journal.path())
        for (const { call, result, outcome } of log.add(entry)) {
          const command = scriptOf(call);
          if (command === null || result?.seq !== entry.seq || outcome?.kind !== 'failed') continue;
          const { text } = result.message;
          if (text.split('\n').every((line) => HEAD.test(line))) continue;
          all++;
          const message = keptOf(text, command, outcome.exitCode);
          if (message !== null && !BARE.test(message)) kept++;
          else lost.push(`${basename(path)} ${entry.seq}: ${command.slice(0, 80)} → ${message}`);
        }
    }
    expect(all).toBeGreaterThan(50);
    expect(kept / all, lost.join('\n')).toBeGreaterThanOrEqual(0.95);
  });
});
