import { createReadStream } from 'node:fs';
import { exportResults } from '../../jobs/export/export-results.ts';
import type { DownloadFunctions } from '../../src/console/pages/downloads/add-downloads.ts';
import type { Context } from '../../src/context.ts';
import { isLimitlineError } from '../../src/errors.ts';

/** What the downloads of a portfolio are handed. */
export function downloadFunctions(context: Context): DownloadFunctions {
  return {
    write: (what, to, signal) => exportResults({ ...what, likeInput: 'cells' }, to, { ...context, signal }),

    async original(portfolio, importNumber) {
      const imports = await context.portfolios.allImports(portfolio);
      const last = (await context.portfolios.read(portfolio)).file?.number;
      const known = imports.find(({ number }) => number === (importNumber ?? last));
      if (!known) return undefined;
      try {
        const { path, sizeBytes } = context.imports.open(known.id);
        return { fileName: known.fileName, sizeBytes, content: () => createReadStream(path) };
      } catch (error) {
        if (isLimitlineError(error, 'FILE')) return undefined;
        throw error;
      }
    },
  };
}
