/**
 * Claude Code's transcripts: JSON lines linked by `parentUuid`. One answer is spread over several lines with the same
 * message id, and rewound lines stay in the file; the import takes the conversation that led to the last line.
 */

import { injectedKind } from '../../context/attribute.ts';
import type { Trigger } from '../../journal/entry.ts';
import { asText, type Json, listOf, objectOf, ownOf } from '../../json.ts';
import type { ImportReport, Recorded, RecordedAnswer, RecordedMessage } from '../recorded.ts';
import { readAnthropicMessage } from './anthropic.ts';
import { answerOf, timed, usageOf } from './json.ts';
import { LinkedLines, linkOf } from './links.ts';

/** The messages on a line; for an answer, which is spread over lines, its id. */
type Spoken = Exclude<RecordedMessage, RecordedAnswer> | { readonly answer: string };

export function readClaudeCode(recorded: readonly Json[], report: ImportReport): Recorded[] {
  const linked = new LinkedLines(recorded.map(readQueued), {
    idOf: ({ uuid }) => asText(uuid),
    // At a compaction's boundary the chain continues through the logical parent, which may never have been written.
    parentOf: (line) =>
      isBoundary(line) ? asText(line.parentUuid) || asText(line.logicalParentUuid) : linkOf(line.parentUuid),
    isSpoken: isTurn,
    isLoose: isBoundary,
  });
  const { lines } = linked;
  const turns = lines.filter(isTurn);
  const boundaries = new Boundaries(lines);
  const messagesOf = new Map<string, readonly Spoken[]>();
  const answers = new Map<string, RecordedAnswer>();
  const order: (Spoken | { readonly summary: Spoken; readonly line: Json })[] = [];
  const kept = keptLines(linked, turns, boundaries);
  report.brokenLinks += linked.broken;
  for (const line of kept) {
    const { role, content, id, model, usage } = objectOf(line.message);
    const parts: Spoken[] = [];
    for (const message of timed(readAnthropicMessage(role ?? line.type, content), line.timestamp)) {
      if (message.role !== 'assistant') {
        const part = message.role === 'user' ? { ...message, ...kindOfLine(line) } : message;
        parts.push(part);
        order.push(isSummary(part) ? { summary: part, line } : part);
        continue;
      }
      const answer = asText(id) || asText(line.uuid);
      const before = answers.get(answer);
      parts.push({ answer });
      if (!before) order.push({ answer });
      const counted = readUsage(objectOf(usage));
      const facts = counted ? { usage: counted, model: asText(model) || 'imported' } : {};
      answers.set(answer, before ? { ...join(before, message), ...facts } : { ...message, ...facts });
    }
    messagesOf.set(asText(line.uuid), parts);
  }
  const whole = (part: Spoken) => ('answer' in part ? (answers.get(part.answer) ?? []) : part);
  return order.flatMap((part): Recorded | Recorded[] => {
    if (!('summary' in part)) return whole(part);
    const { before, after, trigger } = boundaries.at(part.line);
    const said = (uuids: readonly string[]) => uuids.flatMap((uuid) => messagesOf.get(uuid) ?? []);
    const context = [...said(before), part.summary, ...said(after)].flatMap(whole);
    return { role: 'compaction', context, ...(trigger ? { trigger } : {}) };
  });
}

function isSummary(message: Exclude<RecordedMessage, RecordedAnswer>): boolean {
  return message.role === 'user' && (message.kind ?? injectedKind(message.text)) === 'summary';
}

/** Text typed while the agent was working is recorded as an attachment. */
function readQueued(line: Json): Json {
  const { type, commandMode, prompt } = objectOf(line.attachment);
  if (line.type !== 'attachment' || type !== 'queued_command' || commandMode !== 'prompt') return line;
  return { ...line, type: 'user', message: { role: 'user', content: prompt } };
}

function kindOfLine({ isCompactSummary, isMeta }: Json): { kind?: 'summary' | 'reminder' } {
  if (isCompactSummary === true) return { kind: 'summary' };
  return isMeta === true ? { kind: 'reminder' } : {};
}

/** Said in this conversation, and not in that of a subagent. */
const isTurn = ({ type, isSidechain }: Json) => (type === 'user' || type === 'assistant') && isSidechain !== true;

/**
 * Lines on the chain from the last one to the root, plus the rest of their answers and the results of their calls:
 * parallel calls branch the chain.
 */
function keptLines(linked: LinkedLines, turns: readonly Json[], boundaries: Boundaries): Json[] {
  const chain = new Set<Json>();
  const starts = turns.slice(-1);
  for (let start = starts.pop(); start; start = starts.pop()) {
    for (const line of linked.walk(start)) {
      chain.add(line);
      // Lines after the messages that a compaction kept are linked to them and not to the compaction.
      const passed = linked.find(boundaries.passedBy(line) ?? '', line);
      if (passed) starts.push(passed);
    }
  }
  const answers = new Set<string>();
  const calls = new Set<string>();
  for (const line of turns) if (chain.has(line)) answers.add(asText(objectOf(line.message).id));
  answers.delete('');
  const belongs = (line: Json) => chain.has(line) || answers.has(asText(objectOf(line.message).id));
  for (const line of turns) {
    if (!belongs(line)) continue;
    for (const block of listOf(objectOf(line.message).content).map(objectOf)) {
      if (block.type === 'tool_use') calls.add(asText(block.id));
    }
  }
  const answersCall = (line: Json) =>
    listOf(objectOf(line.message).content)
      .map(objectOf)
      .some(({ type, tool_use_id }) => type === 'tool_result' && calls.has(asText(tool_use_id)));
  return turns.filter((line) => belongs(line) || answersCall(line));
}

function join(a: RecordedAnswer, b: RecordedAnswer): RecordedAnswer {
  const reasoning = [a.reasoning, b.reasoning].filter(Boolean).join('\n\n');
  const text = [a.text, b.text].filter(Boolean).join('\n\n');
  const { time = a.time } = b;
  return {
    ...a,
    ...answerOf(text, reasoning, [...(a.toolCalls ?? []), ...(b.toolCalls ?? [])]),
    ...(time === undefined ? {} : { time }),
  };
}

function readUsage({ input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens }: Json) {
  return usageOf(input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens);
}

/**
 * Claude Code's compactions: a line marks the boundary, and the next user message is the summary. Kept messages remain
 * in their place in the file; the boundary names them, and the line (`anchorUuid`) that they follow from there on.
 */
interface Boundary {
  readonly uuid: string;
  readonly anchor: string;
  /** Kept lines, in order. */
  readonly kept: readonly string[];
  readonly trigger: Trigger | null;
}

interface Around {
  /** Lines before and after the summary. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly trigger: Trigger | null;
}

const isBoundary = ({ type, subtype }: Json) => type === 'system' && subtype === 'compact_boundary';

const TRIGGERS: Readonly<Record<string, Trigger>> = { auto: 'threshold', manual: 'manual' };

class Boundaries {
  /** The newest boundary before each summary. */
  readonly #ofSummary = new Map<Json, Boundary>();
  /** For each line after the messages that a compaction kept, the line it would follow otherwise. */
  readonly #passedBy = new Map<Json, string>();

  constructor(lines: readonly Json[]) {
    const byUuid = new Map(lines.map((line) => [asText(line.uuid), line]));
    /** By the last kept line. */
    const byTail = new Map<string, Boundary>();
    let newest: Boundary | null = null;
    for (const line of lines) {
      if (isBoundary(line)) {
        newest = readBoundary(line, byUuid);
        const tail = newest.kept.at(-1);
        if (tail) byTail.set(tail, newest);
        continue;
      }
      if (newest && line.type === 'user') this.#ofSummary.set(line, newest);
      const passed = byTail.get(asText(line.parentUuid));
      if (passed) this.#passedBy.set(line, passed.anchor);
    }
  }

  /** The lines kept around the summary in this line. */
  at(summary: Json): Around {
    const boundary = this.#ofSummary.get(summary);
    if (!boundary) return { before: [], after: [], trigger: null };
    const { uuid, anchor, kept, trigger } = boundary;
    return anchor === uuid ? { before: kept, after: [], trigger } : { before: [], after: kept, trigger };
  }

  passedBy(line: Json): string | null {
    return this.#passedBy.get(line) ?? null;
  }
}

function readBoundary(line: Json, byUuid: ReadonlyMap<string, Json>): Boundary {
  const { trigger, preservedMessages, preservedSegment } = objectOf(line.compactMetadata);
  const messages = objectOf(preservedMessages);
  const segment = objectOf(preservedSegment);
  const listed = listOf(messages.allUuids ?? messages.uuids)
    .map(asText)
    .filter(Boolean);
  return {
    uuid: asText(line.uuid),
    anchor: asText(messages.anchorUuid) || asText(segment.anchorUuid),
    kept: listed.length > 0 ? listed : readSegment(segment, byUuid),
    trigger: ownOf(TRIGGERS, asText(trigger)) ?? null,
  };
}

/** From the last line back to the first; empty when they are not linked. */
function readSegment({ headUuid, tailUuid }: Json, byUuid: ReadonlyMap<string, Json>): string[] {
  const uuids = new Set<string>();
  for (let uuid = asText(tailUuid); uuid && !uuids.has(uuid); uuid = asText(byUuid.get(uuid)?.parentUuid)) {
    uuids.add(uuid);
    if (uuid === headUuid) return [...uuids].reverse();
  }
  return [];
}
