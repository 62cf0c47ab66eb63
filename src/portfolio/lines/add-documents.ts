import type { DocumentFolder } from '../../documents/folder.ts';
import { withoutApostrophe } from '../../table/formulas.ts';
import { type Column, placeOf } from '../columns/column.ts';
import { makeProblem } from '../problem.ts';
import type { LineDraft } from './draft.ts';

/**
 * Finds the documents that the drafts name and adds them, or a problem for each that is missing or unusable.
 *
 * @throws LimitlineError `FILE` when the disk fails.
 */
export async function addDocuments(drafts: LineDraft[], columns: Column[], folder?: DocumentFolder): Promise<void> {
  const column = columns[placeOf(columns, 'supporting_documents')]?.written ?? null;
  // The eight workers share one iterator, so that each draft is taken once.
  const waiting = drafts.filter((draft) => draft.values.supporting_documents).values();
  async function takeDrafts(): Promise<void> {
    for (const { record, values, problems, documents } of waiting) {
      for (const name of documentNames(values.supporting_documents ?? '')) {
        // Results files of Limitline put an apostrophe before such a name, so that no spreadsheet runs it as a formula.
        const found = folder ? await folder.find(name, withoutApostrophe(name)) : NO_FOLDER;
        if (typeof found === 'string') problems.push(makeProblem(record.line, column, name, found));
        else documents.push(found);
      }
    }
  }
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, takeDrafts));
}

/** More would not be faster: Node reads files with four threads. */
const LOOKS_AT_ONCE = 8;

const NO_FOLDER = 'There is no folder to look for documents in: name it with --documents DIR.';

function documentNames(cell: string): string[] {
  const names = cell.split('|').map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '');
}
