import { createHash } from 'node:crypto';
import type { RowDocument } from '../../src/ledger/row.ts';
import type { RowId } from '../../src/ledger/row-id.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import type { OutgoingDocument } from '../../src/service/document-body.ts';
import { callOnce } from './call-once.ts';
import { endWithout, giveUpRow, parseRowPayload, runStep, type StepDeps } from './step.ts';

export type UploadDeps = StepDeps & {
  /** Finds a document's content in the data folder by its digest. */
  openDocument: (sha256: string) => { path: string; sizeBytes: number };
};

/**
 * Second step of a row: its documents go up (service-api: "document"), one after another, each once for all rows that
 * attach it. A row without documents never comes here.
 */
export const uploadDocuments = {
  name: 'upload-documents',
  queue: 'documents',
  parse: parseRowPayload,
  run: (row: RowId, deps: UploadDeps): Promise<JobEnd> =>
    runStep(row, 'documents', deps, async ({ request, revision }) => {
      const ids: string[] = [];
      let answered = false;
      for (const document of request.documents) {
        const outgoing: OutgoingDocument = { ...document, ...deps.openDocument(document.sha256) };
        const wish = { what: `the document ${document.name}`, sent: `${document.name}, SHA-256 ${document.sha256}` };
        const ending = await callOnce(
          {
            ...wish,
            kind: 'document',
            key: documentKey(document),
            row,
            revision,
            buyer: request.buyer,
            send: (call) => deps.service.uploadDocument(outgoing, call),
          },
          deps,
        );
        if (ending.is !== 'made') return endWithout('documents', wish, ending);
        ids.push(ending.id);
        answered ||= ending.row === undefined;
      }
      return { to: 'limit', fields: { documents: ids, answered } };
    }),
  giveUp: (row: RowId, error: unknown, deps: StepDeps) => giveUpRow(row, 'documents', error, deps),
} as const;

/** Two documents are the same thing when content and file name are; there is one purpose only. */
export function documentKey({ sha256, name }: Pick<RowDocument, 'sha256' | 'name'>): string {
  return createHash('sha256')
    .update(JSON.stringify([sha256, name]))
    .digest('base64url')
    .slice(0, 16);
}
