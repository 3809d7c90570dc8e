/** The properties of each kind of row. The table in `viewRow.ts` has one value for each. */

import type { TemplateResult } from 'lit';
import type { Row, RowOf } from '../../../src/protocol/rows.ts';
import type { Panel } from '../../page/panel.ts';

/** Presentation of a kind of row. */
export interface RowKind<T extends Row['type']> {
  /** Draws it. */
  readonly view: (panel: Panel, row: RowOf<T>, place: RowPlace) => TemplateResult;
  /** Further state that it depends on, as one text: the row is redrawn when this changes. */
  readonly drawnFrom?: (panel: Panel, row: RowOf<T>) => string;
  /** Estimated height in pixels in a panel of typical width, by content. */
  readonly height: (row: RowOf<T>) => number;
  /** Its name for assistive technology. */
  readonly name: (row: RowOf<T>) => string;
  /** Announced for a new row; empty for silence. */
  readonly spoken?: (row: RowOf<T>) => string;
}

export type RowKinds<T extends Row['type']> = { readonly [K in T]: RowKind<K> };

export interface RowPlace {
  /** Nothing can be changed here. */
  readonly fixed: boolean;
  /** An earlier answer belongs to the same turn. */
  readonly continues: boolean;
  /** Nothing of the same turn follows. */
  readonly ends: boolean;
  /** A `member` is a row of an opened group. */
  readonly kind: 'row' | 'head' | 'member';
}
