import { messageOf } from '../../src/errors.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';

/**
 * A process that reads portfolios one after another, and prints the result of each and its peak memory. Run by
 * limits.test.ts, because the process of a test includes the test runner. Arguments: the files.
 */
const told: string[] = [];
for (const path of process.argv.slice(2)) {
  // Garbage of the previous file must not count for this one.
  globalThis.gc?.();
  let lines = 0;
  try {
    const opened = await openPortfolio({ path });
    for await (const batch of opened.batches()) lines += batch.length;
    told.push(`${lines} lines`);
  } catch (error) {
    told.push(messageOf(error));
  }
}
// maxRSS is in KB.
console.log(JSON.stringify({ told, peakMb: process.resourceUsage().maxRSS / 1024 }));
