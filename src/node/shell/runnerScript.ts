/**
 * The script with which a terminal's shell runs one command: in its folder, without secrets and without input, in a
 * separate bash. Neither the configuration of the person's shell nor an earlier command can change the approved line.
 * Marks show where its output begins and ends, and its exit code. A command can read the script, and with it the secret
 * of the mark that began its output; the secret of the end mark exists only in the memory of the script's bash. Pure.
 */

import { FIXED_VARIABLES, SECRET, STEERING } from './commandEnvironment.ts';
import { MARK } from './listProcesses.ts';
import { quoteWord } from './quoteWord.ts';

interface RunnerOptions {
  readonly folder: string;
  /** Carried by every process that a command starts. */
  readonly mark: string;
  /** Secret in the mark that begins a command's output. */
  readonly secret: string;
  /** Names of variables passed to commands although they look like secrets. */
  readonly allowed: readonly string[];
}

/** The terminal's variable that holds the script. */
const RUNNER = 'PALIMPSEST';
export const BASH = '/bin/bash';

export function runnerEnvironment(options: RunnerOptions): Readonly<Record<string, string>> {
  return { [RUNNER]: writeScript(options) };
}

/** The line that the terminal's shell runs. The leading space keeps it out of the shell's history. */
export function writeLine(command: string): string {
  return ` ${BASH} -pc "$${RUNNER}" - ${quoteWord(command)}`;
}

/** True when the line, as reported by a shell, comes from `writeLine`. */
export const isRunner = (line: string) => line.includes(`"$${RUNNER}"`);

/**
 * After it, and before a bell, comes the secret of the end mark, which the script generates each time and does not pass
 * to the command.
 */
export const beginMark = (secret: string) => `\u001B]7277;${secret};begin;`;

export const endMark = (secret: string) => `\u001B]7277;${secret};end;`;

/** Its own variables have names that no other program exports. */
function writeScript({ folder, mark, secret, allowed }: RunnerOptions): string {
  const fixed = Object.entries(FIXED_VARIABLES).map(([name, value]) => `${name}=${quoteWord(value)}`);
  return `
cd -- ${quoteWord(folder)} || exit 126
_pal_steers=${quoteWord(toExtended(STEERING))}
_pal_hides=${quoteWord(toExtended(SECRET))}
_pal_may=${quoteWord(` ${allowed.join(' ')} `)}
shopt -s nocasematch
while IFS= read -r _pal_name; do
  if [[ $_pal_name =~ $_pal_steers ]]; then unset "$_pal_name"
  elif [[ $_pal_name =~ $_pal_hides && $_pal_may != *" $_pal_name "* ]]; then unset "$_pal_name"; fi
done < <(compgen -e) 2> /dev/null
shopt -u nocasematch
set -f
IFS=:
_pal_path=
for _pal_name in $PATH; do [[ $_pal_name == /* ]] && _pal_path=$_pal_path\${_pal_path:+:}$_pal_name; done
unset IFS BASH_ENV ENV ${RUNNER} _pal_end
_pal_functions=()
while IFS= read -r _pal_name; do
  [[ $_pal_name == BASH_FUNC_*=* ]] && _pal_functions+=(-u "\${_pal_name%%=*}")
done < <(/usr/bin/env)
_pal_end=$(/usr/bin/od -An -tx1 -N16 /dev/urandom)
_pal_end=\${_pal_end//[^0-9a-f]/}
export PATH="$_pal_path" ${fixed.join(' ')} ${MARK}=${quoteWord(mark)}
printf '%s%s\\a' ${quoteWord(beginMark(secret))} "$_pal_end"
/usr/bin/env "\${_pal_functions[@]}" ${BASH} -c -- "$1" < /dev/null
_pal_code=$?
printf '\\e]7277;%s;end;%d\\a' "$_pal_end" "$_pal_code"
exit "$_pal_code"
`;
}

/** In bash syntax, which has no non-capturing groups. */
const toExtended = ({ source }: RegExp) => source.replaceAll('(?:', '(');
