/** The result of a compaction, in one line, before it runs. */

import type { Preview } from '../../core/compaction/consent/preview.ts';
import { isDropNote } from '../../core/compaction/draft/dropNote.ts';
import type { Translate } from '../../core/words.ts';

/** One line, such as `7 hidden · 20 summarised`, in the words of the row that a compaction leaves. */
export function summarisePreview({ items, inserted }: Pick<Preview, 'items' | 'inserted'>, t: Translate): string {
  const count = (wanted: Preview['items'][number]['decision']) =>
    items.filter(({ decision }) => decision === wanted).length;
  const [hidden, dropped, shortened] = [count('hide'), count('drop'), count('replace')];
  const added = inserted.filter((each) => !isDropNote(each)).length;
  return [
    ...(hidden ? [t('{0} hidden', hidden)] : []),
    ...(dropped ? [added ? t('{0} summarised', dropped) : t('{0} dropped', dropped)] : []),
    ...(shortened ? [t('{0} shortened', shortened)] : []),
    ...(added && !dropped ? [t('{0} added', added)] : []),
  ].join(' · ');
}
