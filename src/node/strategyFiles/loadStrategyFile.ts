/**
 * Loads the text of a strategy's file as a module. It is self-contained: Node's own modules are available, neighbouring
 * files and packages are refused, so that the allowed text is complete. Anything the text does with its rights, such as
 * loading other code by address, was allowed with it.
 */

import { spawn } from 'node:child_process';
import * as nodeModule from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DeclaredSettings } from '../../core/compaction/settings/declaredSettings.ts';
import type { AnyFactory } from '../../core/compaction/strategies/strategyEntry.ts';
import { readStrategyModule } from '../../core/compaction/strategies/strategyModule.ts';
import { messageOf, UserFacingError } from '../../core/errors.ts';
import { type Words, words } from '../../core/words.ts';
import { openBridge } from './bridge.ts';
import { isProgram, readProgram, type StrategyFile } from './program.ts';

type StripTypes = (text: string) => string;

/** Null where Node lacks it: not every editor has a recent version. */
const STRIP_TYPES = (nodeModule as { readonly stripTypeScriptTypes?: StripTypes }).stripTypeScriptTypes ?? null;

/** Its JavaScript, without running it. Throws a `UserFacingError` that names the file, the line and the reason. */
export async function compileStrategyFile(file: StrategyFile, stripTypes = STRIP_TYPES): Promise<string> {
  if (isProgram(file)) {
    readProgram(file);
    return file.text;
  }
  const code = toJavaScript(file, stripTypes);
  const fault = await findSyntaxError(code);
  if (fault) throw syntaxError(file.path, fault.line, fault.message);
  return code;
}

/** Runs the module of `code`, or makes a strategy of a program, which is not run yet. Throws a `UserFacingError` that names the file, the line if known, and the reason. */
export async function loadStrategyFile(file: StrategyFile, code: string): Promise<AnyFactory> {
  const read = isProgram(file) ? openBridge(file) : readStrategyModule(await evaluate(file, code));
  const declared = 'create' in read ? DeclaredSettings.read(read) : read;
  if ('create' in read && declared instanceof DeclaredSettings) return read;
  throw new UserFacingError(words('its file {0} cannot be used: {1}', file.path, declared as Words));
}

function toJavaScript({ path, text }: StrategyFile, stripTypes: StripTypes | null): string {
  if (!extname(path).toLowerCase().endsWith('ts')) return text;
  if (!stripTypes) {
    throw new UserFacingError(
      words(
        'its file {0} is TypeScript, which this version of Node ({1}) cannot read: write it in JavaScript, with types in comments',
        path,
        process.versions.node,
      ),
    );
  }
  try {
    return stripTypes(text);
  } catch (thrown) {
    const line = /:(\d+)\r?\n/.exec(stackOf(thrown))?.[1];
    throw syntaxError(path, line === undefined ? null : Number(line), messageOf(thrown), thrown);
  }
}

async function evaluate({ path }: StrategyFile, code: string): Promise<unknown> {
  const url = pathToFileURL(path).href;
  // The file's name appears in the stacks of its errors and in the debugger.
  const named = `${code}\n//# sourceURL=${url}\n`;
  const address = `data:text/javascript;base64,${Buffer.from(named).toString('base64')}`;
  try {
    return await import(address);
  } catch (thrown) {
    if (codeOf(thrown) === 'ERR_UNSUPPORTED_RESOLVE_REQUEST') {
      const wanted = /specifier "([^"]*)"/.exec(messageOf(thrown))?.[1] ?? '';
      const reason = words(
        'its file {0} imports {1}; it must stand alone and can import node: modules only',
        path,
        wanted,
      );
      throw new UserFacingError(reason, thrown);
    }
    const line = lineIn(stackOf(thrown), [url, path, address]);
    const message = messageOf(thrown);
    if (thrown instanceof SyntaxError) throw syntaxError(path, line, message, thrown);
    throw new UserFacingError(
      line === null
        ? words('its file {0} failed while it was loaded: {1}', path, message)
        : words('its file {0} failed in line {1} while it was loaded: {2}', path, line, message),
      thrown,
    );
  }
}

/** The line where a stack first names one of `places`. Hosts with their own stack format use other names. */
function lineIn(stack: string, places: readonly string[]): number | null {
  for (const place of places) {
    const at = stack.indexOf(`${place}:`);
    const line = Number.parseInt(stack.slice(at + place.length + 1), 10);
    if (at >= 0 && line > 0) return line;
  }
  return null;
}

function syntaxError(path: string, line: number | null, message: string, cause?: unknown): UserFacingError {
  return new UserFacingError(
    line === null
      ? words('its file {0} has a syntax error: {1}', path, message)
      : words('its file {0} has a syntax error in line {1}: {2}', path, line, message),
    cause,
  );
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : null;
}

const stackOf = (thrown: unknown) => (thrown instanceof Error ? (thrown.stack ?? '') : '');

/**
 * The first syntax error of a module. Node does not report its line on import, but prints it when checking a file,
 * which does not run the module.
 */
const LONGEST_MS = 10_000;

interface SyntaxFault {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** Null when there is none, or it cannot be determined. */
function findSyntaxError(code: string): Promise<SyntaxFault | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--input-type=module', '--check', '-'], {
      stdio: ['pipe', 'ignore', 'pipe'],
      // Desktop editors are Electron: this makes their program act as Node.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' },
      timeout: LONGEST_MS,
    });
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed = `${printed}${text}`.slice(0, 10_000);
    });
    child.on('error', () => resolve(null));
    child.on('close', () => {
      const line = /^\[stdin\]:(\d+)/m.exec(printed)?.[1];
      const message = /^SyntaxError: (.*)$/m.exec(printed)?.[1];
      resolve(line === undefined || message === undefined ? null : { line: Number(line), message });
    });
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(code);
  });
}
