/** What sessions take on disk, as a page: how much, what limits it, what happens then, and the largest ones. Pure. */

import type { Translate } from '../../core/words.ts';
import type { Page } from '../../protocol/pages.ts';
import { column, facts, right, section, table, text } from '../pages/blocks.ts';
import { formatCount } from '../pages/textTable.ts';

export interface StorageFacts {
  /** Of this folder, the largest first. */
  readonly sessions: readonly {
    readonly id: string;
    readonly title: string;
    /** When something was last said, in the person's language. */
    readonly when: string;
    readonly bytes: number;
    readonly open: boolean;
  }[];
  /** Those of other folders together. */
  readonly elsewhere: number;
  readonly trash: number;
  /** Earlier file contents of checkpoints. */
  readonly images: { readonly bytes: number; readonly limit: number; readonly days: number };
  /** Days that full outputs are kept after a session was last opened. */
  readonly outputDays: number;
}

const MOST_ROWS = 100;

export function describeStorage(used: StorageFacts, t: Translate): Page {
  const { sessions, elsewhere, trash, images, outputDays } = used;
  const here = sessions.reduce((sum, { bytes }) => sum + bytes, 0);
  const limited = t('{0} of at most {1}', formatMegabytes(images.bytes), formatMegabytes(images.limit));
  const rows = sessions
    .slice(0, MOST_ROWS)
    .map(({ id, title, when, bytes, open }) => [
      { text: title || id, act: `open ${id}` },
      when,
      formatMegabytes(bytes),
      open ? t('open now') : { text: t('Move to the trash'), act: `remove ${id}` },
    ]);
  return {
    title: t('Storage used'),
    subtitle: '',
    blocks: [
      facts(
        [t('Sessions of this folder ({0})', formatCount(sessions.length)), formatMegabytes(here)],
        [t('Among them earlier file contents'), limited],
        [t('Sessions of other folders'), formatMegabytes(elsewhere)],
        [t('Trash of this folder'), formatMegabytes(trash)],
      ),
      {
        kind: 'actions',
        actions: [
          { id: 'clean', label: t('Clean Up Now'), primary: true },
          ...(trash > 0 ? [{ id: 'emptyTrash', label: t('Empty the Trash…') }] : []),
          { id: 'limits', label: t('Change Limits…') },
        ],
      },
      text(
        t(
          'At the limit the oldest earlier file contents go first, and each goes after {0} days: a checkpoint that needs one then says so. Full outputs of tools go {1} days after their session was last opened. What was said is never removed by itself.',
          images.days,
          outputDays,
        ),
        'quiet',
      ),
      ...(rows.length === 0
        ? []
        : [
            section(t('Largest sessions'), [
              table(
                t('Largest sessions'),
                [column(t('Session')), column(t('Last used')), right(t('Size')), column('')],
                rows,
              ),
            ]),
          ]),
    ],
  };
}

/** Decimal units, as disks and the settings count. */
function formatMegabytes(bytes: number): string {
  if (bytes < 1_000_000) return `${formatCount(Math.ceil(bytes / 1_000))} KB`;
  return `${(bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
}
