import type { Context } from '../../src/context.ts';
import { messageOf } from '../../src/errors.ts';
import { makeFinished } from '../../src/ledger/rows/finished.ts';
import { ROW_STATES } from '../../src/ledger/schema/row.ts';
import { onceAtATime } from '../../src/once-at-a-time.ts';

/** Short enough for a person who waits. Costs Redis next to nothing. */
const LOOK_EVERY_MS = 2_000;

/** Logs when a portfolio is finished, with its counts. One process of the fleet logs it, once each time. */
export async function startSayingFinished(
  context: Pick<Context, 'ledger' | 'keys' | 'portfolios' | 'processId' | 'log'>,
  everyMs: number = LOOK_EVERY_MS,
) {
  const { ledger, keys, portfolios, processId, log } = context;
  const [seconds] = await ledger.time();
  const finished = makeFinished({ connection: ledger, keys, processId, sinceMs: Number(seconds) * 1_000 });

  const look = async (): Promise<void> => {
    for (const name of await finished.news()) {
      const { states, statuses, invalid, duplicate } = await portfolios.read(name);
      const there = ROW_STATES.filter((state) => states[state] > 0);
      const words = there.map((state) => `${states[state].toLocaleString('en')} ${state}`).join(', ');
      const counts = Object.fromEntries(there.map((state) => [state, states[state]]));
      log.info(
        { portfolio: name, states: counts, statuses, invalid, duplicate },
        `portfolio ${name} ${states.held > 0 ? 'needs an answer' : 'is finished'}: ${words || 'no rows'}`,
      );
    }
  };
  // An absent Redis is reported elsewhere.
  const again = onceAtATime(() =>
    look().catch((error) => log.debug({ reason: messageOf(error) }, 'could not look which portfolios are finished')),
  );
  const timer = setInterval(again, everyMs).unref();
  return {
    /** Logs what has finished so far and stops. */
    async stop(): Promise<void> {
      clearInterval(timer);
      if (ledger.status === 'ready') await again().then(again);
    },
  };
}
