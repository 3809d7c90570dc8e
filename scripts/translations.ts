/**
 * Part of `npm run lint`: names the English texts without a Chinese sentence, and the Chinese sentences that nothing shows
 * any more. Either is a warning until a release, which waits for it (`npm run release`).
 */

import { describeTranslations, findTranslations } from './manifest/findTranslations.ts';

for (const line of describeTranslations(findTranslations())) console.warn(`warning: ${line}`);
