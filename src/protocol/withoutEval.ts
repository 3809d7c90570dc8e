/**
 * Imported for its effect, before any schema is made: the panel's content policy forbids `eval`, and the schema library
 * would try it once for each page and be reported for it.
 */

import * as z from 'zod';

z.config({ jitless: true });
