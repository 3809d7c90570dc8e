/** `Language` in memory: it knows what it is given, and counts what it is asked. */

import type { CodePlace, CodeProblem, CodeSymbol, Language } from '../../../src/core/workspace/language.ts';

export interface KnownCode {
  readonly problems?: readonly CodeProblem[];
  /** By default an extension has looked at every file. */
  readonly reported?: boolean;
  /** Problems that come with any change; null: the language of the files is not known. */
  readonly brought?: readonly CodeProblem[] | null;
  readonly symbols?: readonly CodeSymbol[];
  /** By the place that is asked about, as `path:line:column`. */
  readonly references?: Readonly<Record<string, readonly CodePlace[]>>;
  /** Finds outside of the workspace. */
  readonly outside?: number;
}

export interface MemoryLanguage extends Language {
  /** The requests, in order. */
  readonly asked: string[];
}

export function createMemoryLanguage(known: KnownCode = {}): MemoryLanguage {
  const { problems = [], reported = true, brought = [], symbols = [], references = {}, outside = 0 } = known;
  const asked: string[] = [];
  const note = (what: string, signal: AbortSignal) => {
    signal.throwIfAborted();
    asked.push(what);
  };
  return {
    asked,
    async problems(path, signal) {
      note(`problems ${path ?? 'everywhere'}`, signal);
      return { problems: problems.filter((problem) => path === null || problem.path === path), reported };
    },
    async problemsAround(path, change, signal) {
      note(`problems around ${path}`, signal);
      const of = (all: readonly CodeProblem[]) => all.filter((problem) => problem.path === path);
      await change();
      return brought === null ? null : { before: of(problems), after: [...of(problems), ...of(brought)] };
    },
    async symbolsIn(path, signal) {
      note(`symbols in ${path}`, signal);
      return symbols.filter((symbol) => symbol.path === path);
    },
    async symbolsNamed(query, signal) {
      note(`symbols named ${query}`, signal);
      return { found: symbols.filter(({ name }) => name.includes(query)), outside };
    },
    async references({ path, line, column }, signal) {
      const place = `${path}:${line}:${column}`;
      note(`references ${place}`, signal);
      return { found: references[place] ?? [], outside };
    },
  };
}
