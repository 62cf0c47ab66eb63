import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { portfolioOutlookOf } from '../../src/console/pages/portfolio/portfolio-look.ts';
import { callsSent, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { openRows } from '../../src/ledger/portfolios/summary.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import { makeOwnPace } from '../../src/pace/own-pace.ts';
import { describePace } from '../../src/pace/pace-words.ts';
import { makePaceReader } from '../../src/pace/read-pace.ts';
import { makePaceSamples } from '../../src/pace/samples.ts';
import { timeLeftWords } from '../../src/pace/time-left.ts';
import type { SaidTimeLeft } from './judge-words.ts';

/** Somebody who looks at a run now and then. */
const LOOK_EVERY_MS = 1_000;

/**
 * Notes each second what the product says of the time left of a portfolio, as its page of the console does, from the same
 * Redis; until it has finished, or `signal`.
 */
export async function listenToWords(
  name: string,
  {
    connection,
    keys,
    read,
    signal,
    hear,
  }: {
    connection: Redis;
    keys: Keys;
    read: (name: string) => Promise<PortfolioState>;
    signal: AbortSignal;
    hear?: ((words: string) => void) | undefined;
  },
): Promise<SaidTimeLeft[]> {
  const readPace = makePaceReader(connection, keys.pace);
  const samples = makePaceSamples({ connection, paceKey: keys.pace, key: keys.paceSamples });
  const ownPace = makeOwnPace();
  const said: SaidTimeLeft[] = [];
  while (!signal.aborted) {
    const [state, pace, kept] = await Promise.all([read(name), readPace(), samples.read()]);
    if (state.finishedMs !== undefined) break;
    if (state.startedMs !== undefined && openRows(state) > 0) {
      const nowMs = Date.now();
      const ownPerS = ownPace.note(name, callsSent(state), nowMs, state.startedMs);
      const { left } = portfolioOutlookOf({ state, causes: [], pace, samples: kept, ownPerS, nowMs });
      said.push({ atMs: nowMs, left });
      hear?.(`${timeLeftWords(left) || 'no time'} left; ${pace ? describePace(pace, nowMs) : ''}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
  return said;
}
