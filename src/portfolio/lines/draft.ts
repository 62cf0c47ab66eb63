import type { Document } from '../../documents/document.ts';
import type { RawRecord } from '../../table/records.ts';
import type { Decision } from '../identity/buyer.ts';
import type { ReadCells } from './read-cells.ts';

/** A line that was read but not yet classified as a row, an invalid line or a duplicate. */
export type LineDraft = ReadCells & { record: RawRecord; documents: Document[]; decision?: Decision | undefined };
