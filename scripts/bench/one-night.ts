import { constants, setPriority } from 'node:os';
import { reconcile } from '../../jobs/nightly/reconcile.ts';
import { readSettings } from '../../src/config.ts';
import { openContext } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import { printReport } from '../nightly/print-report.ts';
import { keepHeapSmall } from '../process/small-heap.ts';

/**
 * One nightly check, with its report, in a process of its own, at the low priority of the one that does it at night, or, with `--again`, one
 * behind the other until it is killed. Says on standard output what it took and found.
 */
setPriority(constants.priority.PRIORITY_LOW);
keepHeapSmall();
const context = await openContext({ settings: readSettings(), log: makeSilentLog() });
const { signal } = new AbortController();
do {
  const startedAt = performance.now();
  const now = new Date();
  const night = { id: now.toISOString(), atMs: now.getTime(), by: 'nightly', signal };
  const { report } = await reconcile({ ...context, printReport }, night);
  const wallMs = performance.now() - startedAt;
  const found = (await context.reports.findings(report, 0, 20)).map(({ finding, rows: of }) => `${finding} (${of})`);
  const answer = { rows: (await context.reports.read(report))?.looked.rows, wallMs, found };
  if (!process.argv.includes('--again')) process.stdout.write(`${JSON.stringify(answer)}\n`);
} while (process.argv.includes('--again'));
await context.close();
