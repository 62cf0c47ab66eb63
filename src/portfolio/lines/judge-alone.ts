import type { DocumentFolder } from '../../documents/folder.ts';
import type { Dialect } from '../../table/dialect.ts';
import type { RawRecord } from '../../table/records.ts';
import type { Column } from '../columns/column.ts';
import type { Conventions } from '../columns/known-columns.ts';
import { addDocuments } from './add-documents.ts';
import type { AdviceDates } from './advice.ts';
import { makeLineClassifier } from './classify-lines.ts';
import type { LineDraft } from './draft.ts';
import { makeCellReader, type Values } from './read-cells.ts';
import type { Line } from './row.ts';

/** Checks a line alone: its cells and documents, but nothing that depends on other lines, such as duplicates. */
export type JudgeAlone = (record: RawRecord) => Promise<Line>;

export type JudgeAloneOptions = {
  columns: Column[];
  dialect: Dialect;
  constants: Values | undefined;
  /** Read again for each line. A convention that is still open is a problem of the line. */
  conventions: Readonly<Conventions>;
  dates: AdviceDates;
  documents?: DocumentFolder | undefined;
};

/** For a line that a person corrects. Runs the same checks as the reading of the file. */
export function makeJudgeAlone({ documents, dates, ...reading }: JudgeAloneOptions): JudgeAlone {
  let readCells: ReturnType<typeof makeCellReader> | undefined;
  return async (record) => {
    readCells ??= makeCellReader({ ...reading, today: dates.today });
    const draft: LineDraft = { record, ...readCells(record), documents: [] };
    await addDocuments([draft], reading.columns, documents);
    return makeLineClassifier({ columns: reading.columns, dates }).classify(draft);
  };
}
