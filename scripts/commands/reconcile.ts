import { hostname } from 'node:os';
import type { Command } from 'commander';
import { reconcile } from '../../jobs/nightly/reconcile.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { LimitlineError } from '../../src/errors.ts';
import { countAll, type NightReport, type ReportFinding } from '../../src/ledger/nightly/checks.ts';
import { printReport, reportTable } from '../nightly/report-table.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { keepHeapSmall } from '../process/resources.ts';
import type { Terminal } from '../terminal/terminal.ts';

type Found = { report: NightReport; findings: readonly ReportFinding[] };

/** `limitline reconcile`: runs the nightly check now. `--last` prints the last report again. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('reconcile')
    .option('--last', 'look at nothing, and print the last report again')
    .action(async (options: { last?: true }) => {
      keepHeapSmall();
      const find = options.last ? (context: Context) => readReport(context) : reconcileNow;
      const { report, findings } = await withContext(find, { facts: factsOf });
      const [gone, there] = [findings.filter(isGone), findings.filter((finding) => !isGone(finding))];
      terminal.print(reportTable(report, findings, hostname()), { findings: there, gone, report });
      process.exitCode = there.length > 0 ? PROBLEMS_STATUS : 0;
    });
}

async function reconcileNow(context: Context): Promise<Found> {
  if (await context.marks.older())
    throw new LimitlineError('OLDER', 'Nothing was compared, since Redis is older than the last send.');
  const now = new Date();
  const night = {
    id: now.toISOString(),
    atMs: now.getTime(),
    by: commandLineActor(),
    signal: new AbortController().signal,
  };
  const { report } = await reconcile({ ...context, printReport }, night);
  return readReport(context, report);
}

async function readReport({ reports, account }: Context, id?: string): Promise<Found> {
  const report = await reports.read(id);
  if (report) return { report, findings: await reports.findings(report.id, 0, countAll(report)) };
  throw new LimitlineError('NOT_FOUND', `Account ${account} has no report yet; npx limitline reconcile makes one.`);
}

const isGone = ({ change }: ReportFinding) => change === 'gone';

/** What the audit records of a report: only counts, because findings may contain anybody's text. */
function factsOf({ report }: Found): Readonly<Record<string, unknown>> {
  return { count: report.findings, items: report.items, report: report.id };
}
