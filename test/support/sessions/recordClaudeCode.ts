/** A session in Claude Code's form: files are read, the context is compacted, and the first files are read again and edited. */

const FILES = 30;

/** `length`: lines of each file; 20 make about 8,000 tokens in all. */
export function recordClaudeCode(length = 20): string {
  const lines: object[] = [];
  let last: string | null = null;
  const say = (type: 'user' | 'assistant', content: unknown, more: object = {}) => {
    const uuid = String(lines.length);
    const message = { role: type, content, ...(type === 'assistant' ? { id: `m${uuid}` } : {}) };
    lines.push({
      type,
      uuid,
      parentUuid: last,
      isSidechain: false,
      sessionId: 's',
      version: '2.0.0',
      message,
      ...more,
    });
    last = uuid;
  };
  const call = (id: string, name: string, input: object, result: string) => {
    say('assistant', [{ type: 'tool_use', id, name, input }]);
    say('user', [{ type: 'tool_result', tool_use_id: id, content: result }]);
  };
  const lineOf = (file: number) => `export const computePart${file} = (orders) => {`;
  const place = (file: number) => ({ file_path: `/w/shop/src/part${file}.ts` });
  const read = (id: string, file: number) => call(id, 'Read', place(file), `${lineOf(file)}\n`.repeat(length));
  say('user', 'Mend every part of the shop.');
  for (let file = 0; file < FILES; file++) read(`r${file}`, file);
  const compactMetadata = { trigger: 'auto', preTokens: 9_000 };
  const boundary = {
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'b',
    parentUuid: null,
    logicalParentUuid: last,
  };
  lines.push({ ...boundary, compactMetadata });
  last = 'b';
  const summary = 'This session is being continued from a previous conversation: they mend parts.';
  say('user', summary, { isCompactSummary: true });
  for (let file = 0; file < 5; file++) {
    read(`s${file}`, file);
    call(`e${file}`, 'Edit', { ...place(file), old_string: lineOf(file), new_string: 'mended' }, 'Done.');
  }
  return lines.map((each) => `${JSON.stringify(each)}\n`).join('');
}
