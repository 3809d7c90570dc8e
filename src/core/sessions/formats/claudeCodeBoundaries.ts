/**
 * Claude Code's compactions: a line marks the boundary, the next user message is the summary. Messages that were kept stay
 * where they were in the file; the boundary names them, and the line (`anchorUuid`) after which they stand from there on.
 */

import type { Trigger } from '../../journal/entry.ts';
import { asText, type Json, listOf, objectOf, ownOf } from '../../json.ts';

interface Boundary {
  readonly uuid: string;
  readonly anchor: string;
  /** Lines that were kept, in order. */
  readonly kept: readonly string[];
  readonly trigger: Trigger | null;
}

interface Around {
  /** Lines that stand before and after the summary. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly trigger: Trigger | null;
}

const TRIGGERS: Readonly<Record<string, Trigger>> = { auto: 'threshold', manual: 'manual' };

export class Boundaries {
  /** The newest boundary before each summary. */
  readonly #ofSummary = new Map<Json, Boundary>();
  /** For each line that follows what a compaction kept, the line that it would follow otherwise. */
  readonly #passedBy = new Map<Json, string>();
  /** What was said last before each boundary. */
  readonly #saidBefore = new Map<Json, Json>();

  constructor(lines: readonly Json[]) {
    const byUuid = new Map(lines.map((line) => [asText(line.uuid), line]));
    /** By the last line that was kept. */
    const byTail = new Map<string, Boundary>();
    let newest: Boundary | null = null;
    let said: Json | null = null;
    for (const line of lines) {
      if (line.type === 'system' && line.subtype === 'compact_boundary') {
        newest = readBoundary(line, byUuid);
        if (said) this.#saidBefore.set(line, said);
        const tail = newest.kept.at(-1);
        if (tail) byTail.set(tail, newest);
        continue;
      }
      if ((line.type === 'user' || line.type === 'assistant') && line.isSidechain !== true) said = line;
      if (newest && line.type === 'user') this.#ofSummary.set(line, newest);
      const passed = byTail.get(asText(line.parentUuid));
      if (passed) this.#passedBy.set(line, passed.anchor);
    }
  }

  /** What was kept around the summary in this line. */
  at(summary: Json): Around {
    const boundary = this.#ofSummary.get(summary);
    if (!boundary) return { before: [], after: [], trigger: null };
    const { uuid, anchor, kept, trigger } = boundary;
    return anchor === uuid ? { before: kept, after: [], trigger } : { before: [], after: kept, trigger };
  }

  /** For a boundary, whose own link may name a line that was never written. */
  saidBefore(boundary: Json): Json | undefined {
    return this.#saidBefore.get(boundary);
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

/** From the last line back to the first; nothing when they are not linked. */
function readSegment({ headUuid, tailUuid }: Json, byUuid: ReadonlyMap<string, Json>): string[] {
  const uuids = new Set<string>();
  for (let uuid = asText(tailUuid); uuid && !uuids.has(uuid); uuid = asText(byUuid.get(uuid)?.parentUuid)) {
    uuids.add(uuid);
    if (uuid === headUuid) return [...uuids].reverse();
  }
  return [];
}
