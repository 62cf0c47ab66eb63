import type { RawRecord, Shape } from '../../table/records.ts';
import type { Table } from '../../table/table.ts';

/** The records below a table's header. */
export type RecordBatches = {
  /** The first records, at most so many, as far as they were read already. They are in the batches, too. */
  ahead(most: number): RawRecord[];
  /** All records, in batches that grow. Can be iterated once. @throws LimitlineError `FILE`, `STOPPED` */
  batches(): AsyncGenerator<RawRecord[]>;
};

/** Makes the batches of an open table's records. */
export function makeRecordBatches({ next, more }: Pick<Table, 'next' | 'more'>, shape: Shape): RecordBatches {
  const waiting: RawRecord[] = [];
  return {
    ahead(most) {
      while (waiting.length < most) {
        const record = next(shape);
        if (!record) break;
        waiting.push(record);
      }
      return waiting.slice(0, most);
    },
    async *batches() {
      for (let most = FIRST_LINES; ; most = Math.min(2 * most, BATCH_LINES)) {
        const records: RawRecord[] = [];
        let reads = 0;
        let cells = 0;
        while (records.length === 0 || (records.length < most && reads < BATCH_READS && cells < BATCH_CELLS)) {
          const record = waiting.shift() ?? next(shape);
          cells += record?.cells.length ?? 0;
          if (record) records.push(record);
          else if (await more()) reads += 1;
          else break;
        }
        if (records.length === 0) return;
        yield records;
      }
    },
  };
}

/** Lines of a batch. With so many, the waits between batches cost no time. 500 lines were no faster and took 25 MB more. */
const BATCH_LINES = 250;

/** Lines of the first batch: as many as a process has calls in flight by default, so that work starts early. Each later batch doubles. */
const FIRST_LINES = 32;

/** Cells of a batch at most, since Excel allows 16,384 columns: a hundred lines of a thousand cells. */
const BATCH_CELLS = 100_000;

/** Reads of the file for one batch at most: some 4 MB, so that a batch of very long lines stays small as well. */
const BATCH_READS = 64;
