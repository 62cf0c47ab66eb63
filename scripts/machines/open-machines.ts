import type { Context } from '../../src/context.ts';
import { makeRowTotals } from '../../src/ledger/counts/row-totals.ts';
import { countLiving } from '../../src/ledger/presence.ts';
import { inTime } from '../../src/metrics/kept.ts';
import { makeMachineAnswers, type Readiness } from '../../src/metrics/machine-answers.ts';
import { makeMetrics } from '../../src/metrics/metrics.ts';
import { lookAtPace, type Service } from '../../src/open-service.ts';
import { readVersion } from '../process/version.ts';
import { countService } from './count-service.ts';

/** Longer than that, Redis is of no use to anybody who waits for an answer. */
const REDIS_LIMIT_MS = 1_000;

const IDLE = 'This process takes up no rows now.';

export type Machines = ReturnType<typeof openMachines>;

/**
 * What machines may ask of this process: whether it lives, whether it can work, and its figures.
 *
 * @param role what the process does: `work`, `console`, `events`
 * @param isWorking whether this process does what it is for; undefined where it is for showing what workers of others do, and those are
 * looked for
 * @param idle what is said while it does not
 */
export function openMachines(
  context: Context,
  { role, isWorking, idle = IDLE }: { role: string; isWorking?: () => boolean; idle?: string },
) {
  const { account, ledger, keys, queues, outbox, archives } = context;
  const totalsOf = makeRowTotals({ connection: ledger, keys });
  const living = () => countLiving({ connection: ledger, keys });
  const look = async () => {
    const [totals, archived, counts, pace, workers, standings, ended] = await Promise.all([
      totalsOf(),
      archives.count(),
      queues.counts(),
      lookAtPace(context),
      living(),
      outbox.standings(),
      outbox.counts(),
    ]);
    const waiting = Object.fromEntries(standings.map((one) => [one.way, one.waiting]));
    return { totals, archived, queues: counts, pace, workers, notices: { waiting, ...ended } };
  };
  const metrics = makeMetrics({ account, version: readVersion(), role, look });

  const ready = async (): Promise<Readiness> => {
    if (isWorking && !isWorking()) return { ready: false, why: idle };
    const found = await inTime(isWorking ? ledger.ping().then(() => 1) : living(), REDIS_LIMIT_MS).catch(
      () => undefined,
    );
    if (found === undefined) return { ready: false, why: 'Redis does not answer.' };
    if (found === 0) return { ready: false, why: 'No worker is running: start one with limitline work.' };
    return { ready: true };
  };
  const answer = makeMachineAnswers({ token: context.settings.METRICS_TOKEN, ready, metrics: metrics.text });
  let stop = (): void => {};
  return {
    answer,
    metrics,
    /** Counts the calls of this process from now on: answers the service to work with, and who hears of rows that end. */
    count(service: Service): { service: Service; onRowEnd: (end: { state: string }) => void } {
      const calls = metrics.countCalls();
      stop = metrics.countWaits({ paceNow: service.paceNow, inFlight: service.slots.inFlight });
      return { service: countService(service, calls), onRowEnd: ({ state }) => calls.rowEnded(state) };
    },
    /** Ends the counting. */
    close: (): void => stop(),
  };
}
