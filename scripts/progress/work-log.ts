import { within } from '../../jobs/workers/deadline.ts';
import type { Context } from '../../src/context.ts';
import type { Service } from '../../src/open-service.ts';
import { startRowTally } from './row-tally.ts';
import { startSayingFinished } from './say-finished.ts';
import { countCalls, startSayingMinutes } from './say-minutes.ts';

/** What is said last is worth no more than this where Redis hangs. */
const LAST_LOOK_MS = 1_000;

/**
 * Lets `work` say what an operator must know: which portfolios are finished, how many rows were refused or held and why,
 * and each minute what was done.
 */
export async function startWorkLog(context: Context, given: Service) {
  const { log, queues } = context;
  const { service, sent } = countCalls(given);
  const tally = startRowTally({ log });
  const minutes = startSayingMinutes({ service, queues, counts: tally.counts, callsSent: sent, log });
  const finished = await startSayingFinished(context);
  return {
    /** To be worked with, so that its calls are counted. */
    service,
    onRowEnd: tally.ended,
    /** Says what is left to be said. */
    async stop(): Promise<void> {
      minutes.stop();
      tally.stop();
      await within(LAST_LOOK_MS, finished.stop());
    },
  };
}
