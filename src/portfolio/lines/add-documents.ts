import type { DocumentFolder } from '../../documents/folder.ts';
import { withoutApostrophe } from '../../table/formulas.ts';
import { type Column, placeOf } from '../columns/column.ts';
import { makeProblem } from '../problem.ts';
import type { LineDraft } from './draft.ts';

/**
 * Looks up the documents that the drafts name and adds them, or what is wrong with them.
 *
 * @throws LimitlineError `FILE` when the disk itself fails.
 */
export async function addDocuments(drafts: LineDraft[], columns: Column[], folder?: DocumentFolder): Promise<void> {
  const column = columns[placeOf(columns, 'supporting_documents')]?.written ?? null;
  // One iterator, shared: each of the eight takes the next draft that none has taken.
  const waiting = drafts.filter((draft) => draft.values.supporting_documents).values();
  async function takeDrafts(): Promise<void> {
    for (const { record, values, problems, documents } of waiting) {
      for (const name of documentNames(values.supporting_documents ?? '')) {
        // A results file of ours keeps such a name from being run as a formula.
        const found = folder ? await folder.find(name, withoutApostrophe(name)) : NO_FOLDER;
        if (typeof found === 'string') problems.push(makeProblem(record.line, column, name, found));
        else documents.push(found);
      }
    }
  }
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, takeDrafts));
}

/** Opening more files at once gains nothing, since Node reads them with four threads. */
const LOOKS_AT_ONCE = 8;

const NO_FOLDER = 'There is no folder to look for documents in: name it with --documents DIR.';

function documentNames(cell: string): string[] {
  const names = cell.split('|').map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '');
}
