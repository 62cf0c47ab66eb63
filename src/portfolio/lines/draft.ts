import type { Document } from '../../documents/document.ts';
import type { RawRecord } from '../../table/records.ts';
import type { Decision } from '../identity/buyer.ts';
import type { ReadCells } from './read-cells.ts';

/** A line on its way: read, but not yet told from its duplicates. */
export type LineDraft = ReadCells & { record: RawRecord; documents: Document[]; decision?: Decision | undefined };
