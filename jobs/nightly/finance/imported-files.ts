import type { DocumentStore } from '../../../src/documents/store.ts';
import type { Portfolios } from '../../../src/ledger/portfolios.ts';
import { openImported } from '../../export/open-imported.ts';
import { type DayFile, dayImports } from './days-files.ts';
import { nameWord } from './row-command.ts';

type ImportedDeps = {
  portfolios: Pick<Portfolios, 'names' | 'allImports' | 'read'>;
  imports: DocumentStore;
  signal: AbortSignal;
};

/** The files that were imported since a moment and have lines that led to no row, as their copies in the data folder. */
export async function* importedFiles(sinceMs: number, deps: ImportedDeps): AsyncGenerator<DayFile> {
  for await (const { portfolio, known, isBrokenOff, later } of dayImports(sinceMs, deps.portfolios)) {
    const { fileName, number, found } = known;
    const name = nameWord(portfolio);
    yield {
      portfolio,
      fileName,
      importId: String(number),
      later,
      why: isBrokenOff ? 'its import broke off before it' : 'it led to no request',
      unread: {
        says: 'lines led to no request, and the copy of their file cannot be read here',
        rows: found?.invalid ?? 1,
      },
      // An import that broke off goes on with the same file; where that lies, nobody keeps.
      command: isBrokenOff ? `import FILE --portfolio ${name}` : `report ${name} --format errors-csv`,
      open: (buyers) => openImported(known, { imports: deps.imports, signal: deps.signal, buyers }),
    };
  }
}
