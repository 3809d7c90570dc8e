/**
 * The tools that Palimpsest offers to a model, by name, with the arguments that their calls carry. What a call in a
 * history holds is a model's text: check it before use. Imported sessions hold calls of other programs' tools as well.
 */

/** The arguments of each tool, as a model is told to write them. */
export interface BuiltInToolArguments {
  readonly read_file: {
    /** Relative to the workspace, with forward slashes. */
    readonly path: string;
    /** First line, from 1. */
    readonly offset?: number;
    /** First character of that line, from 1. */
    readonly column?: number;
    /** Lines. */
    readonly limit?: number;
  };
  readonly list_files: {
    readonly path?: string;
    /** Levels, 1 to 10. */
    readonly depth?: number;
  };
  readonly search_text: {
    readonly pattern: string;
    /** The pattern is a regular expression. */
    readonly regex?: boolean;
    readonly path?: string;
    readonly glob?: string;
    /** Matching lines to show. */
    readonly limit?: number;
  };
  /** A single edit may also stand beside `path`, without `edits` around it, as in older sessions. */
  readonly edit_file: {
    readonly path: string;
    readonly edits: readonly {
      readonly old_string: string;
      readonly new_string: string;
      readonly replace_all?: boolean;
    }[];
  };
  readonly write_file: { readonly path: string; readonly content: string };
  readonly run_command: {
    readonly command: string;
    /** It runs on after the call. */
    readonly background?: boolean;
    readonly timeout_seconds?: number;
  };
  readonly move_file: { readonly path: string; readonly new_path: string };
  readonly delete_file: { readonly path: string };
  readonly read_problems: {
    /** A file or folder; all of the workspace without it. */
    readonly path?: string | undefined;
  };
  readonly find_symbols: {
    /** A name or a part of it, in the whole workspace. */
    readonly query?: string | undefined;
    /** The file whose symbols are listed. */
    readonly path?: string | undefined;
  };
  readonly find_references: {
    readonly path: string;
    readonly symbol: string;
    /** A line of `path` that holds the symbol, from 1. */
    readonly line?: number | undefined;
  };
  readonly git_changes: {
    /** A file or folder; the workspace folder without it. */
    readonly path?: string | undefined;
  };
  readonly read_output: {
    /** As the result of `run_command` names it. */
    readonly id: string;
    readonly wait_seconds?: number;
  };
  readonly stop_command: { readonly id: string };
  readonly write_todos: {
    /** The whole list each time, in order. */
    readonly todos: { text: string; state: 'open' | 'doing' | 'done' }[];
  };
  readonly present_plan: { readonly plan: string };
  readonly ask_user: {
    readonly question: string;
    readonly choices?: { label: string; description: string }[];
  };
  readonly find_files: {
    readonly glob: string;
    readonly path?: string | undefined;
    /** Paths to show. */
    readonly limit?: number;
  };
  readonly recall: {
    /** The id of the message to read, such as `m17`. */
    readonly id?: string;
    readonly query?: string;
    /** First character to read. */
    readonly offset?: number;
  };
  readonly compact_context: { readonly keep?: string | undefined };
  readonly send_message_to_past: { readonly checkpoint: number; readonly message: string };
  readonly fetch_url: {
    readonly url: string;
    /** The address of no public machine that the name leads to, as a refusal told it. */
    readonly local_address?: string | undefined;
  };
  readonly task: { readonly title: string; readonly prompt: string; readonly agent?: string | undefined };
  readonly use_skill: { readonly name?: string | undefined };
  readonly report_to_past: { readonly report: string; readonly checkpoint?: number | undefined };
}

export type BuiltInToolName = keyof BuiltInToolArguments;

/** In the order in which they are declared to the model. */
export const BUILT_IN_TOOLS: readonly BuiltInToolName[] = [
  'read_file',
  'list_files',
  'search_text',
  'edit_file',
  'write_file',
  'run_command',
  'move_file',
  'delete_file',
  'read_problems',
  'find_symbols',
  'find_references',
  'git_changes',
  'read_output',
  'stop_command',
  'write_todos',
  'present_plan',
  'ask_user',
  'find_files',
  'fetch_url',
  'recall',
  'compact_context',
  'send_message_to_past',
  'task',
  'use_skill',
  'report_to_past',
];
