import { messageOf } from '../../src/errors.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';

/**
 * A process that reads portfolios one after the other and says what came of each and what memory that took at the most:
 * run by limits.test.ts, since a test's own process has the test runner in it too. Arguments: the files.
 */
const told: string[] = [];
for (const path of process.argv.slice(2)) {
  // What the one before left over is none of this one's.
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
