import type { Command } from 'commander';
import { reconcile } from '../../jobs/nightly/reconcile.ts';
import { counted } from '../../src/counted.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { keepHeapSmall } from '../process/small-heap.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** There was something to find. */
const FINDINGS_STATUS = 2;

/** `limitline reconcile`: compares what is kept of the rows, and the queues, with the rows, and mends it. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('reconcile')
    .description('compare the ledger with itself and with the queues, and mend what differs')
    .action(async () => {
      keepHeapSmall();
      const findings = await withContext((context) => reconcile(context));
      const words = findings.map(
        ({ portfolio, finding, rows }) => `${portfolio || 'All portfolios'}: ${finding} (${counted(rows, 'row')}).`,
      );
      terminal.print(words.join('\n') || 'Ledger and queues agree.', { findings });
      process.exitCode = findings.length > 0 ? FINDINGS_STATUS : 0;
    });
}
