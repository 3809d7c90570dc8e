/** What the panel knows of a kind of row. */

import type { TemplateResult } from 'lit';
import type { Row, RowOf } from '../../../src/protocol/rows.ts';
import type { Panel } from '../../page/panel.ts';

export interface RowKind<T extends Row['type']> {
  /** Draws it. */
  readonly view: (panel: Panel, row: RowOf<T>, place: RowPlace) => TemplateResult;
  /** What assistive technology calls it. */
  readonly name: (row: RowOf<T>) => string;
  /** What a screen reader says of a new one; nothing when it is empty. */
  readonly spoken?: (row: RowOf<T>) => string;
}

export interface RowPlace {
  /** Nothing can be changed here. */
  readonly fixed: boolean;
  /** An answer before this row belongs to the same turn. */
  readonly continues: boolean;
  /** A `member` is a row of an opened group. */
  readonly kind: 'row' | 'head' | 'member';
}
