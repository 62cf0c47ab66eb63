import type { Context } from '../../src/context.ts';
import { callsLeft, funnelOf, stoppedAt } from '../../src/ledger/counts/funnel.ts';
import { callsSent, type PortfolioState } from '../../src/ledger/portfolio.ts';
import { lookAtPace } from '../../src/open-service.ts';
import { makeOwnPace } from '../../src/pace/own-pace.ts';
import { makeSampleReader } from '../../src/pace/samples.ts';
import { timeLeftRange, timeLeftWords } from '../../src/pace/time-left.ts';

/** A person sees no difference, and Redis neither. */
const READ_EVERY_MS = 1_000;

/**
 * Says how long a portfolio will take, as its page of the console does: `35 to 40 s`; empty where that cannot be told, as while it
 * is being imported.
 */
export function makeTimeLeftReader(context: Context): (state: PortfolioState) => Promise<string> {
  const ownPace = makeOwnPace();
  const readSamples = makeSampleReader(context.paceSamples);
  let said = '';
  let saidAtMs = Number.NEGATIVE_INFINITY;
  return async (state) => {
    if (performance.now() - saidAtMs < READ_EVERY_MS) return said;
    saidAtMs = performance.now();
    const [pace, samples, causes] = await Promise.all([
      lookAtPace(context),
      readSamples(),
      context.portfolios.causes(state.name),
    ]);
    const nowMs = Date.now();
    const ownPerS = ownPace.note(state.name, callsSent(state), nowMs, state.startedMs);
    const calls = callsLeft(funnelOf(state, stoppedAt(causes)), state.states);
    said = pace && !state.importing ? timeLeftWords(timeLeftRange(calls, { pace, samples, ownPerS }, nowMs)) : '';
    return said;
  };
}
