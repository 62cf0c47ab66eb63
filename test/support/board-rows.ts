import { expect } from 'vitest';
import { startWorkers } from '../../jobs/workers/workers.ts';
import { openService } from '../../src/open-service.ts';
import { openConsole, openDesk } from './desk.ts';

const RULES = [
  {
    on: 'limit',
    match: '"HRB 1"',
    times: 1,
    fault: 'status',
    status: 422,
    body: '<b>Buyer 1</b><img src=x onerror=alert(1)>',
  },
  { on: 'limit', match: '"HRB 2"', times: 1, fault: 'status', status: 500, body: 'no' },
] as const;

/** Three rows, refused, held and done, and a console whose board has the failed jobs of the first two. */
export async function openBoardRows(settings: Record<string, string> = {}) {
  const desk = await openDesk(3, { rules: [...RULES] });
  await desk.limitline('run', 'q4.csv', '--portfolio', 'q4', '--yes');
  const web = await openConsole({ ...desk, env: { ...desk.env, QUEUE_BOARD: 'on', ...settings } });
  const failed = () => web.context.queues.bullmq['buyer-limits'].getFailedCount();
  // A row that failed after its first step has a job in a later queue. A run may end before it has marked the job as
  // failed, and leaves it to the next worker.
  if ((await failed()) < 2) {
    const workers = await startWorkers(web.context, openService(web.context, desk.standIn.url()));
    await expect.poll(failed).toBe(2);
    await workers.stop();
  }
  return { desk, web };
}
