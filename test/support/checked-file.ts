import { makeDryRun } from '../../jobs/preview/dry-run.ts';
import { importOutlookOf } from '../../jobs/preview/outlook.ts';
import { outlookDepsOf } from '../../scripts/look/dry-run.ts';
import type { Context } from '../../src/context.ts';
import type { DocumentFolder } from '../../src/documents/folder.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';

type Checked = { path: string; portfolio?: string; documents?: DocumentFolder };

/** What `check` says of a file that is to be imported into the portfolio, `q4` by default: its lines, their warnings, and the whole. */
export async function checkedFile({ path, portfolio = 'q4', documents }: Checked, context: Context) {
  const outlook = await importOutlookOf(outlookDepsOf(context), { portfolio, path, reading: {} });
  const opened = await openPortfolio({ path, documents, buyers: outlook.buyers });
  const dryRun = makeDryRun({ foresees: outlook.foresees, ratePerS: undefined });
  const lines = (await Array.fromAsync(opened.batches(), (batch) => dryRun.add(batch))).flat();
  return {
    lines,
    warnings: lines.flatMap((line) => (line.kind === 'row' ? line.warnings : [])),
    /** The lines of which an import would make no row, since they are at fault. */
    invalid: lines.filter(({ kind }) => kind === 'invalid').map(({ line }) => line),
    problems: opened.problems,
    ...dryRun.result(),
  };
}
