import { createReadStream } from 'node:fs';
import { writeArchivedResults } from '../../jobs/archive/archived-results.ts';
import { exportResults } from '../../jobs/export/export-results.ts';
import type { DownloadFunctions } from '../../src/console/pages/downloads/add-downloads.ts';
import type { Context } from '../../src/context.ts';
import { isLimitlineError } from '../../src/errors.ts';
import { archivedFault } from '../../src/ledger/archive/archives.ts';

/** What the downloads of a portfolio are handed. */
export function downloadFunctions(context: Context): DownloadFunctions {
  return {
    async write(what, to, signal) {
      const archived = await context.archives.read(what.portfolio);
      if (!archived || archived.is === 'archiving') {
        return exportResults({ ...what, likeInput: 'cells' }, to, { ...context, signal });
      }
      // What is in its archive as a file; all else would take its rows.
      if (archived.is !== 'archived' || what.only !== 'all' || what.format !== 'csv') throw archivedFault(archived);
      const place = { account: context.account, dataDir: context.settings.LIMITLINE_DATA };
      return writeArchivedResults(archived, place, to, signal);
    },

    async original(portfolio, importNumber) {
      const imports = await context.portfolios.allImports(portfolio);
      const last = (await context.portfolios.read(portfolio)).file?.number;
      const known = imports.find(({ number }) => number === (importNumber ?? last));
      if (!known) return undefined;
      try {
        const { path, sizeBytes } = context.imports.open(known.id);
        return { fileName: known.fileName, sizeBytes, content: () => createReadStream(path) };
      } catch (error) {
        if (isLimitlineError(error, 'FILE', 'NOT_FOUND')) return undefined;
        throw error;
      }
    },
  };
}
