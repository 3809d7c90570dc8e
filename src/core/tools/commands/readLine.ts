/**
 * Reads a command line of a POSIX shell as the commands that it runs, each with its exact words. A line is only read if
 * every shell of that family would start these programs with these arguments and nothing else; all others are unclear.
 * The grammar is that of bash; on top of it, every character of the line must be accounted for.
 */

import { type AndOr, type Command, type PipelineNode, parse, type Redirection, type Word } from 'unbash';
import { type Words, words } from '../../words.ts';

export interface LinePart {
  /** The program and its arguments, without quotes; never empty. */
  readonly argv: readonly string[];
  /** The places in `argv` of patterns for file names, which the shell replaces by the names that match. */
  readonly patterns: readonly number[];
  /** As written, without redirections. */
  readonly text: string;
  /** It reads the output of the command before it. */
  readonly piped: boolean;
  /** The sign that joins it to the command before it; null for the first. */
  readonly joined: '&&' | '||' | ';' | '|' | null;
}

export type ReadLine =
  | { readonly kind: 'parts'; readonly parts: readonly LinePart[] }
  /** `why`: the construct that has no certain meaning before it runs. */
  | { readonly kind: 'unclear'; readonly why: Words };

const LONGEST_LINE = 4_000;
const MOST_PARTS = 20;
const MOST_WORDS = 200;

/** Everything but line breaks, spaces and what is visible. */
const HIDDEN = /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]--[\n ]]/v;

export function readLine(line: string): ReadLine {
  if (line.length > LONGEST_LINE) return unclear(words('it is longer than {0} characters', LONGEST_LINE));
  if (HIDDEN.test(line)) return unclear(words('a character that cannot be seen'));
  const text = line.replace(/^[ \n]+|[ \n]+$/gu, '');
  try {
    const script = parse(text);
    if (script.errors && script.errors.length > 0) throw new Unclear(words('an unterminated construct'));
    const reader = new PartReader(text);
    for (const statement of script.commands) {
      if (statement.background) throw new Unclear(words('a command that goes on in the background'));
      reader.read(statement.command, ';');
    }
    return { kind: 'parts', parts: reader.end() };
  } catch (thrown) {
    if (thrown instanceof Unclear) return unclear(thrown.why);
    // A fault of the grammar says nothing about the line.
    if (thrown instanceof RangeError || thrown instanceof TypeError) return unclear(words('it cannot be read'));
    throw thrown;
  }
}

const unclear = (why: Words): ReadLine => ({ kind: 'unclear', why });

class Unclear extends Error {
  readonly why: Words;

  constructor(why: Words) {
    super('unclear');
    this.why = why;
  }
}

class PartReader {
  readonly #text: string;
  readonly #parts: LinePart[] = [];
  /** Everything before this place is accounted for. */
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(node: PipelineNode | AndOr, joined: Exclude<LinePart['joined'], null>): void {
    switch (node.type) {
      case 'Command':
        this.#readCommand(node, joined);
        return;
      case 'AndOr':
        node.commands.forEach((each, at) => {
          this.read(each, at === 0 ? joined : (node.operators[at - 1] ?? ';'));
        });
        return;
      case 'Pipeline':
        if (node.prefixes.length > 0) throw new Unclear(words('a negation or a timed command'));
        node.commands.forEach((each, at) => {
          if (at > 0 && node.operators[at - 1] !== '|') throw new Unclear(words('a redirection'));
          this.read(each, at === 0 ? joined : '|');
        });
        return;
      default:
        throw new Unclear(NODES[node.type] ?? words('a construct of the shell'));
    }
  }

  end(): readonly LinePart[] {
    if (!/^[ \n;]*$/u.test(this.#text.slice(this.#at))) throw new Unclear(words('a comment or a stray character'));
    if (this.#parts.length === 0) throw new Unclear(words('no command'));
    return this.#parts;
  }

  #readCommand(command: Command, joined: Exclude<LinePart['joined'], null>): void {
    const { name, prefix, suffix } = command;
    this.#skip(command.pos, this.#parts.length === 0 ? null : joined);
    if (prefix.some(({ type }) => type === 'Assignment')) throw new Unclear(words('a variable assignment'));
    if (!name || prefix.length > 0) throw new Unclear(words('a redirection'));
    const argv = [this.#readProgram(name)];
    const patterns: number[] = [];
    let end = name.end;
    for (const each of suffix) {
      this.#skipBlanks(each.pos);
      if (each.type === 'Word') {
        if (argv.length >= MOST_WORDS) throw new Unclear(words('it has too many words'));
        const pattern = this.#readPattern(each);
        if (pattern !== null) patterns.push(argv.length);
        argv.push(pattern ?? this.#readWord(each));
        end = each.end;
      } else if (each.type === 'Assignment') {
        // An argument such as `a=b`, which only some programs of the shell take for an assignment.
        argv.push(this.#readPlain(each.pos, each.end));
        end = each.end;
      } else this.#readRedirection(each);
    }
    if (this.#at !== command.end) throw new Unclear(words('a stray character'));
    if (this.#parts.length >= MOST_PARTS) throw new Unclear(words('it has too many commands'));
    const first = this.#parts.length === 0;
    this.#parts.push({
      argv,
      patterns,
      text: this.#text.slice(command.pos, end),
      piped: !first && joined === '|',
      joined: first ? null : joined,
    });
  }

  /** Only the expected operator may stand between two commands. */
  #skip(to: number, operator: LinePart['joined']): void {
    const between = this.#text.slice(this.#at, to);
    if (!BETWEEN[operator ?? 'first'].test(between)) throw new Unclear(words('a comment or a stray character'));
    this.#at = to;
  }

  #skipBlanks(to: number): void {
    if (!/^(?: |\\\n)*$/u.test(this.#text.slice(this.#at, to))) throw new Unclear(words('a stray character'));
    this.#at = to;
  }

  #readProgram({ pos, end }: Word): string {
    const name = this.#text.slice(pos, end);
    if (!PROGRAM.test(name)) throw new Unclear(words('a program whose name is quoted or computed'));
    this.#at = end;
    return name;
  }

  /** Null for a word that is no pattern, or one of which not every shell makes the same names. */
  #readPattern({ pos, end }: Word): string | null {
    const source = this.#text.slice(pos, end);
    if (!PATTERN.test(source)) return null;
    this.#at = end;
    return source;
  }

  #readWord({ pos, end, parts, value }: Word): string {
    const quoted = TEXT.exec(this.#text.slice(pos, end))?.groups?.text;
    if (quoted !== undefined) {
      this.#at = end;
      return quoted.replace(/\n+$/u, '');
    }
    for (const part of parts ?? []) {
      const why = PARTS[part.type];
      if (why) throw new Unclear(why);
    }
    const read = this.#readPlain(pos, end);
    // Two readings of the same word must agree.
    if (read !== value) throw new Unclear(words('quotes within a word'));
    return read;
  }

  /** A word of plain characters, the end of which may be in quotes. */
  #readPlain(pos: number, end: number): string {
    const source = this.#text.slice(pos, end);
    const { plain = '', single, double } = WORD.exec(source)?.groups ?? {};
    if (!WORD.test(source)) throw new Unclear(explainWord(source));
    this.#at = end;
    return plain + (single ?? double ?? '');
  }

  #readRedirection(redirection: Redirection): void {
    if (redirection.type === 'HereDoc' || redirection.type === 'HereString')
      throw new Unclear(words('a here-document'));
    const source = this.#text.slice(redirection.pos, redirection.end);
    if (!NOWHERE.test(source)) throw new Unclear(words('a redirection to or from a file'));
    this.#at = redirection.end;
  }
}

/** With lines that are only a comment, and a line continued behind an operator. */
const BETWEEN = {
  first: /^(?:#[^\n]*\n[ \n]*)*$/u,
  ';': /^ *(?:; *(?:#[^\n]*)?|(?<= )#[^\n]*\n|\n)(?:[ \n]|(?<=\n *)#[^\n]*\n)*$/u,
  '&&': /^ *&& *(?:\\?\n)?[ \n]*$/u,
  '||': /^ *\|\| *(?:\\?\n)?[ \n]*$/u,
  '|': /^ *\| *(?:\\?\n)?[ \n]*$/u,
} as const;

/** Cannot be an option, an assignment, a keyword or a name that zsh would expand. */
const PROGRAM = /^[A-Za-z0-9_./][A-Za-z0-9_./+-]*$/u;

/**
 * Plain characters without meaning to any shell, and a tail in quotes. Within double quotes neither `$` nor a backquote,
 * and a backslash only where it stays. `=` in front would be expanded by zsh, `~` and `{` anywhere by others.
 */
const WORD =
  /^(?=[^=])(?<plain>(?:[A-Za-z0-9_./:@+,%^=-]|(?<=[A-Za-z0-9])~)*)(?:'(?<single>[^']*)'|"(?<double>(?:[^"$`\\!]|\\[^"$`\\!\n])*)")?$/u;

/**
 * The text of a here-document as one word, which agents write for the message of a commit. Older shells look for the
 * end of the substitution before they know of the here-document, so nothing in the text may look like that to them.
 */
const TEXT = /^"\$\(cat <<'(?<end>[A-Z]+)'\n(?<text>(?:(?!\k<end>\n)[^'"`()\\$!\n]*\n)+)\k<end>\n\)"$/u;

/** `*` and `?` alone, in names that do not begin with a dot and one of them, which would match `..` in some shells. */
const PATTERN = /^(?=.*[*?])(?!=|(?:.*\/)?\.[*?])[A-Za-z0-9_./:@+,%*?=-]+$/u;

const NOWHERE = /^(?:[12]?> ?\/dev\/null|2>&1|1?>&2|< ?\/dev\/null)$/u;

function explainWord(source: string): Words {
  if (source.includes('$')) return words('a variable or a substitution');
  if (source.includes('`')) return words('command substitution');
  if (source.includes('\\')) return words('a backslash');
  if (/[*?[\]]/u.test(source)) return words('a pattern for file names');
  if (/[{}]/u.test(source)) return words('braces');
  if (source.includes('~')) return words('a home folder');
  return words('quotes within a word');
}

const PARTS: Readonly<Record<string, Words | undefined>> = {
  Glob: words('a pattern for file names'),
  ExtendedGlob: words('a pattern for file names'),
  CommandExpansion: words('command substitution'),
  ProcessSubstitution: words('process substitution'),
  SimpleExpansion: words('a variable or a substitution'),
  ParameterExpansion: words('a variable or a substitution'),
  ArithmeticExpansion: words('a variable or a substitution'),
  BraceExpansion: words('braces'),
  AnsiCQuoted: words('a backslash'),
  LocaleString: words('quotes within a word'),
};

const NODES: Readonly<Record<string, Words | undefined>> = {
  Subshell: words('commands in parentheses or braces'),
  BraceGroup: words('commands in parentheses or braces'),
  If: words('a condition or a loop'),
  For: words('a condition or a loop'),
  ArithmeticFor: words('a condition or a loop'),
  While: words('a condition or a loop'),
  Select: words('a condition or a loop'),
  Case: words('a condition or a loop'),
  Function: words('a function'),
  Redirected: words('a redirection'),
};
