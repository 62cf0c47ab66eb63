import type { Context } from '../../src/context.ts';
import { callsSent, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { lookAtPace } from '../../src/open-service.ts';
import { makeOwnPace } from '../../src/pace/pace-words.ts';
import { makeSampleReader } from '../../src/pace/samples.ts';

export type WorkFactsReader = ReturnType<typeof makeWorkFactsReader>;

/** Reads the facts from which a portfolio's remaining time is computed. All pages of a console and `run` use this reader, so they agree. */
export function makeWorkFactsReader(context: Context) {
  const ownPace = makeOwnPace();
  const readSamples = makeSampleReader(context.paceSamples);
  return async (state: PortfolioState) => {
    const [causes, pace, samples] = await Promise.all([
      context.portfolios.causes(state.name),
      lookAtPace(context),
      readSamples(),
    ]);
    const nowMs = Date.now();
    const ownPerS = ownPace.note(state.name, callsSent(state), nowMs, state.startedMs);
    return { causes, pace, samples, ownPerS, nowMs };
  };
}
