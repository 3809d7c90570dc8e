/** A text that is handed to another program: systems limit its length, and NUL ends it. */

import * as z from 'zod';

export const argument = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !text.includes('\0'), 'holds a NUL character');
