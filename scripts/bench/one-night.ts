import { constants, setPriority } from 'node:os';
import { checkLedger } from '../../jobs/nightly/ledger/index.ts';
import { readSettings } from '../../src/config.ts';
import { openContext } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import { keepHeapSmall } from '../process/small-heap.ts';

/**
 * One check of the ledger in a process of its own, at the low priority of the one that does it at night, or, with `--again`, one
 * behind the other until it is killed. Says on standard output what it took and found.
 */
setPriority(constants.priority.PRIORITY_LOW);
keepHeapSmall();
const context = await openContext({ settings: readSettings(), log: makeSilentLog() });
const found: string[] = [];
const sink = { found: ({ says }: { says: string }) => void (found.length < 20 && found.push(says)) };
do {
  const startedAt = performance.now();
  const { rows } = await checkLedger(context, { sink, signal: new AbortController().signal });
  const answer = { rows, wallMs: performance.now() - startedAt, found };
  if (!process.argv.includes('--again')) process.stdout.write(`${JSON.stringify(answer)}\n`);
} while (process.argv.includes('--again'));
await context.close();
