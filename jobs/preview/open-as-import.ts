import { makeDocumentFolder } from '../../src/documents/folder.ts';
import type { FileRules } from '../../src/portfolio/file-rules.ts';
import { type Opened, openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import type { Problem } from '../../src/portfolio/problem.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import { columnsLeftOut } from '../import/columns-left-out.ts';
import { orClose, refuseForeign } from '../import/open-import.ts';
import { type ImportOutlook, importOutlookOf, type OutlookDeps } from './outlook.ts';

type LookingDeps = {
  account: string;
  /** null where there is no ledger: then the file is judged by itself. */
  ledger: OutlookDeps | null;
  fileRules: FileRules;
  documents: Omit<Parameters<typeof makeDocumentFolder>[0], 'maxSizeMb'>;
  signal: AbortSignal;
};

/**
 * Opens a file to look at it, as an import into the portfolio opens it: by the same rules, and refused as a whole for the same reasons, but for
 * a control total. Writes nothing. `warnings` are about its columns, and stand before those of its lines.
 *
 * @throws LimitlineError `FILE`, `STOPPED`; `USAGE` where the portfolio is archived
 */
export async function openAsImport(
  given: { portfolio: string; reading: ReadOptions; path: string; givenPath?: string },
  { account, ledger, fileRules, documents, signal }: LookingDeps,
): Promise<{ opened: Opened; warnings: Problem[]; outlook: ImportOutlook }> {
  const { portfolio, reading, path, givenPath } = given;
  const outlook = await importOutlookOf(ledger, { portfolio, path, reading });
  const file = { ...reading, path, givenPath, signal };
  const open = () => openPortfolio(file);
  const read = await openPortfolio({
    ...file,
    ...fileRules,
    documents: makeDocumentFolder({ ...documents, maxSizeMb: fileRules.maxDocumentMb }),
    buyers: outlook.buyers,
  });
  const looking = refuseForeign(read, { account, portfolio, path }, open).then(async (opened) =>
    ledger ? columnsLeftOut({ portfolio, reading, path, opened, open }, ledger) : { opened, warnings: [] },
  );
  return { ...(await orClose(read, looking)), outlook };
}
