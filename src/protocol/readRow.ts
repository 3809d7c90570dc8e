/**
 * Replaces a row that cannot be built or parsed, so that a bad row affects only itself. Invariant: a question to the person is
 * never lost with its row.
 */

import * as z from 'zod';
import { type ApprovalCard, approvalSchema, type Row, rowSchema, type Sentence } from './rows.ts';

/** A sentence to translate, in the core's form. This layer does not import the core. */
const words = (text: string, ...values: string[]): Sentence[] => [{ text, values }];

interface Base {
  readonly id: string;
  readonly time: number;
}

/** With a question it is still the row of a call, which asks it. */
export function unreadableRow(base: Base, error: unknown, approval: ApprovalCard | null): Row {
  const reason = String(error).slice(0, 500);
  if (approval) {
    return {
      ...base,
      type: 'tool',
      itemId: base.id,
      toolName: '',
      title: approval.title,
      status: 'approval',
      arguments: '',
      result: reason,
      resultTruncated: false,
      detail: { kind: 'none' },
      approval,
      durationMs: null,
      tokens: 0,
      fate: 'kept',
      pinned: false,
    };
  }
  return {
    ...base,
    type: 'notice',
    level: 'warning',
    text: words('This part of the session cannot be shown: {0}. It is still in the session’s file.', reason),
    detail: [],
    action: 'none',
    also: [],
    retryAt: null,
  };
}

const partSchema = z.object({ id: z.string().max(64), approval: approvalSchema.nullable().catch(null) }).partial();

/** The received row, or its replacement. Endlessly nested words make even the validation fail. */
export function readRow(value: unknown, place: number): Row {
  try {
    const row = rowSchema.safeParse(value);
    return row.success ? row.data : replace(value, place, z.prettifyError(row.error).replace(/\s+/g, ' '));
  } catch (error) {
    return replace(value, place, error);
  }
}

function replace(value: unknown, place: number, error: unknown): Row {
  const { id = `unreadable${place}`, approval = null } = partSchema.safeParse(value).data ?? {};
  return unreadableRow({ id, time: 0 }, error, approval);
}
