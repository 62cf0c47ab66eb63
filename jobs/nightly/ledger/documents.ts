import type { StoreLooks } from '../../../src/documents/store-looks.ts';
import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { StoredRow } from '../../../src/ledger/nightly/row-walk.ts';
import { isUnfinished, type RowRequest } from '../../../src/ledger/schema/row.ts';
import { rowFacts } from '../row-facts.ts';
import type { StoredRowCheck, WalkDeps } from '../walk-ledger.ts';
import { walkLedger } from '../walk-ledger.ts';
import { makeDocumentIndex } from './document-index.ts';
import { YOUNG_MS } from './stored-files.ts';

export type DocumentDeps = {
  storedDocuments: StoreLooks;
  /** Calls `onName` with documents that archived rows name, while it answers true. Answers whether all archives could be read. */
  inArchives: (onName: (sha256: string) => boolean) => Promise<boolean>;
  /** The installation's other accounts, which share the data folder. */
  others: () => Promise<WalkDeps[]>;
};

/**
 * Compares documents in the data folder with those that rows name. A missing one cannot be sent. An unnamed one is left for a
 * person, who may know why it is there.
 */
export async function makeDocumentCheck(
  { storedDocuments, inArchives, others }: DocumentDeps,
  { sink, signal, nowMs = Date.now() }: { sink: FoundSink; signal: AbortSignal; nowMs?: number },
): Promise<StoredRowCheck> {
  const index = makeDocumentIndex();
  for await (const names of storedDocuments.names()) for (const name of names) index.add(name);
  index.close();
  const nameAll = ({ documents }: Pick<RowRequest, 'documents'>) => {
    for (const { sha256 } of documents) index.name(sha256);
  };

  async function look({ row, result }: StoredRow): Promise<void> {
    for (const { sha256, name } of result.request.documents) {
      // A document stored after the folder was listed exists, too.
      if (index.name(sha256) || (await storedDocuments.has(sha256))) continue;
      const isOpen = isUnfinished(result.state);
      const detail = `${name}: ${storedDocuments.pathOf(sha256)}`;
      const found = { check: 'documents', detail, says: isOpen ? TO_BE_SENT : SENT, isMended: false } as const;
      await sink.found({ ...found, ...rowFacts(row, result) });
    }
  }

  return {
    onlyLooks: true,
    row: (walked) => (walked.field('request').includes('"sha256"') ? look(walked) : undefined),
    async end() {
      if (index.unnamedCount() === 0) return;
      for (const account of await others()) {
        await walkLedger(account, { rows: [{ row: ({ result }) => nameAll(result.request) }], signal });
      }
      if (index.unnamedCount() === 0) return;
      // An unreadable archive is a finding of its own. Until it can be read, its documents are unknown.
      const isWhole = await inArchives((sha256) => {
        index.name(sha256);
        return true;
      });
      if (!isWhole) return;
      for await (const names of storedDocuments.names()) {
        for (const name of names.filter(index.isUnnamed)) {
          const writtenMs = await storedDocuments.writtenMs(name);
          if (writtenMs === undefined || writtenMs > nowMs - YOUNG_MS) continue;
          const detail = storedDocuments.pathOf(name);
          await sink.found({
            check: 'documents',
            portfolio: '',
            says: UNNAMED,
            detail,
            sinceMs: writtenMs,
            isMended: false,
          });
        }
      }
    },
  };
}

const TO_BE_SENT =
  'documents that are still to be sent are not in the data folder; import the file that names them again';
const SENT = 'documents of rows that need them no more are not in the data folder';
const UNNAMED = 'documents are kept in the data folder that no row names';
