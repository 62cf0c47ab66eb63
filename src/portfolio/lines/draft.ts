import type { RawRecord } from '../../table/records.ts';
import type { Decision } from '../identity/buyer.ts';
import type { ReadCells } from './read-cells.ts';
import type { Document } from './row.ts';

/** A line on its way: read, but not yet told from its duplicates. */
export type Draft = ReadCells & { record: RawRecord; documents: Document[]; decision?: Decision | undefined };
