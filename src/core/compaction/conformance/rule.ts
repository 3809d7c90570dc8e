/** A rule of the kit, in words for an author. */

import type { Words } from '../../words.ts';

/** A sentence for an author, which has no translation: the kit speaks English. */
export const rule = (text: string, ...values: (string | number)[]): Words => [{ text, values }];
