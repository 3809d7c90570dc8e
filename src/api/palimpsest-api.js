// src/api/index.ts
function defineStrategy(factory) {
  return factory;
}

// src/api/errors.ts
function isModelError(thrown) {
  return isNamed(thrown, 'ModelError') && 'kind' in thrown && typeof thrown.kind === 'string';
}
function isUnsupportedApiVersion(thrown) {
  return isNamed(thrown, 'UnsupportedApiVersion');
}
function isNamed(thrown, name) {
  return thrown instanceof Error && thrown.name === name;
}

// <stdin>
var BUILT_IN_TOOLS = [
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

export { BUILT_IN_TOOLS, defineStrategy, isModelError, isUnsupportedApiVersion };
