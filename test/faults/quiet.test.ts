import { expect, test } from 'vitest';
import { openFaultPlace } from '../support/fault-place.ts';
import { buyerLines } from '../support/workplace.ts';

// Promise: worker-takes-up-nothing-new
test.runIf(process.platform !== 'win32')(
  'a worker takes up no new rows after SIGTSTP, finishes its current ones, and continues after SIGCONT',
  async () => {
    const place = await openFaultPlace({ faults: { latencyMs: [20, 60] }, env: { SERVICE_CONCURRENCY: '4' } });
    const stateNow = async () => (await place.context.fleet.read()).map(({ state }) => state);
    await place.import(buyerLines(50));
    const { child, ended, output } = place.startWorker({ METRICS_PORT: '0' });
    await expect.poll(place.madeCount).toBeGreaterThanOrEqual(10);
    expect(await stateNow()).toEqual(['works']);
    child.kill('SIGTSTP');
    await expect.poll(stateNow).toEqual(['drained']);
    const { states } = await place.report();
    expect(states).toMatchObject({ company: 0, documents: 0, limit: 0, held: 0, refused: 0 });
    expect(states.queued).toBeGreaterThan(0);
    const [, url = ''] = /"metrics":"(http[^"]*)"/.exec(output().stderr) ?? [];
    expect((await fetch(new URL('/health/ready', url))).status).toBe(503);
    expect(await (await fetch(url)).text()).toMatch(/^limitline_processes\{.*state="drained".*\} 1$/m);
    const made = place.madeCount();

    child.kill('SIGCONT');
    expect((await place.judged(50)).states.done).toBe(50);
    expect(made).toBeLessThan(place.madeCount());
    await expect.poll(stateNow).toEqual(['works']);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ status: 0 });
    expect(await stateNow()).toEqual([]);
  },
);
