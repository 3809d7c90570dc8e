var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all) __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if ((from && typeof from === 'object') || typeof from === 'function') {
    for (const key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, {
          get: () => from[key],
          enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable,
        });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, '__esModule', { value: true }), mod);

// <stdin>
var stdin_exports = {};
__export(stdin_exports, {
  BUILT_IN_TOOLS: () => BUILT_IN_TOOLS,
  defineStrategy: () => defineStrategy,
  isModelError: () => isModelError,
  isUnsupportedApiVersion: () => isUnsupportedApiVersion,
});
module.exports = __toCommonJS(stdin_exports);

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
