/** The parts of a context that the meter tells apart: in the panel, and on the pages about the context. */

export const PART_IDS = [
  'system',
  'memory',
  'tools',
  'user',
  'assistant',
  'toolResults',
  'summaries',
  'skills',
  'mentions',
  'other',
] as const;
