/** How long a summary usually is. */

/** Typical length of a summary, in tokens. */
export const WRITTEN_TOKENS = 600;
