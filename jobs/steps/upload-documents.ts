import type { RowId } from '../../src/ledger/row-id.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import { documentKey } from '../rows/document-key.ts';
import { parseRowPayload, STEP_JOBS } from '../rows/step-jobs.ts';
import { callOnce } from './call-once.ts';
import { endWithout, giveUpRow, moveOn, type StepDeps, takeUp } from './step.ts';
import type { Wish } from './wish.ts';

export type UploadDeps = StepDeps & {
  /** Finds a document's content in the data folder by its digest. */
  openDocument: (sha256: string) => { path: string; sizeBytes: number };
};

/**
 * Second step of a row: its documents go up (docs/service.md, "Document"), one after another, each once for all rows that
 * attach it. A row without documents never comes here.
 */
export const uploadDocuments = {
  ...STEP_JOBS.documents,
  parse: parseRowPayload,

  async run(row: RowId, deps: UploadDeps): Promise<JobEnd> {
    const taken = await takeUp(row, 'documents', deps);
    if (taken.is !== 'taken') return taken;
    const { request, revision } = taken;
    const ids: string[] = [];
    let answered = false;
    for (const document of request.documents) {
      const wish: Wish = {
        kind: 'document',
        key: documentKey(document),
        row,
        revision,
        buyer: request.buyer,
        what: `the document ${document.name}`,
        sent: `${document.name}, SHA-256 ${document.sha256}`,
        document: { ...document, ...deps.openDocument(document.sha256) },
      };
      const outcome = await callOnce(wish, deps);
      if (outcome.is !== 'made') return endWithout(wish, outcome, taken, deps);
      ids.push(outcome.id);
      answered ||= outcome.row === undefined;
    }
    return moveOn(taken, 'limit', { documents: ids, answered }, deps);
  },

  giveUp: (row: RowId, error: unknown, deps: StepDeps) => giveUpRow(row, 'documents', error, deps),
};
