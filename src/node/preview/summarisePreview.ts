/** The result of a compaction, in one line, before it runs. */

import type { Preview } from '../../core/compaction/consent/preview.ts';
import { fateWords } from '../../core/fates.ts';
import { inLanguage, type Translate } from '../../core/words.ts';

/** One line, such as `7 hidden · 20 read by the summary`, in the words of the row that a compaction leaves. */
export function summarisePreview({ fates }: Pick<Preview, 'fates'>, t: Translate): string {
  return fates.map((each) => inLanguage(fateWords(each), t)).join(' · ');
}
