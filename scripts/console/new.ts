import { makeDraftDesk } from '../../jobs/drafts/draft-desk.ts';
import { previewInThread } from '../../jobs/drafts/preview-in-thread.ts';
import { importDepsOf, importPortfolio } from '../../jobs/import/import-portfolio.ts';
import type { NewPageFunctions } from '../../src/console/pages/new/draft-actions.ts';
import type { Context } from '../../src/context.ts';
import { LimitlineError } from '../../src/errors.ts';
import { exactText } from '../../src/ledger/counts/outcome-sums.ts';
import { knownRate } from '../../src/open-service.ts';
import { fileRulesOf } from '../../src/portfolio/file-rules.ts';
import { outlookDepsOf } from '../look/dry-run.ts';

/** The functions of the pages for a new portfolio. Imports run in this process, and stop early with the console. */
export function newPageFunctions(context: Context): NewPageFunctions {
  const { settings, account, log, imports, documents, portfolios } = context;
  const stop = new AbortController();
  const desk = makeDraftDesk({
    outlook: outlookDepsOf(context),
    fileRules: fileRulesOf(settings),
    knownRate: () => knownRate(context),
    preview: previewInThread(),
    imports,
    documents,
    async importFile(payload, { onLines }) {
      await context.enterAccount();
      return importPortfolio(payload, {
        ...importDepsOf(context, stop.signal),
        onBatch: ({ lines }) => onLines(lines),
      });
    },
    dataDir: settings.LIMITLINE_DATA,
    account,
    maxUploadMb: settings.CONSOLE_UPLOAD_MB,
    log,
  });
  return {
    ...desk,
    portfolioNames: () => portfolios.names(),
    async whatIsThere(name) {
      const { currencies, sums } = await portfolios.read(name);
      const { cancelled: _gone, ...counted } = sums.byState;
      return { currencies, sum: exactText(Object.values(counted)) };
    },
    approvalPolicy: context.approvalPolicy,
    personOver: context.approvals.personOver,
    maxUploadMb: settings.CONSOLE_UPLOAD_MB,
    async close() {
      stop.abort(new LimitlineError('STOPPED', 'The console was stopped: submit the upload again to go on.'));
      await desk.close();
    },
  };
}
