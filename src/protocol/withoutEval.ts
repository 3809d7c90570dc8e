/**
 * Imported for its side effect, before any schema is created. The panel's content policy forbids `eval`; the schema
 * library would try it once, and the browser would report that.
 */

import * as z from 'zod';

z.config({ jitless: true });
