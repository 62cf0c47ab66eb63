import { withDoubt } from '../../jobs/operators/supplier-again.ts';
import { within } from '../../jobs/workers/keeping.ts';
import type { Context } from '../../src/context.ts';
import { isLimitlineError } from '../../src/errors.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { type Summary, summarize } from '../../src/ledger/portfolios/summary.ts';
import { untilStopped } from '../../src/ledger/schema/until-answered.ts';
import { hintedStatus } from '../../src/service/meaning.ts';

/** How long a stopped run waits for its report. The report command gives it later. */
const LAST_REPORT_MS = 2_000;

/** Held rows read for the hint: enough to know the statuses of their responses. */
const HELD_LOOKED_AT = 1_000;

/** A portfolio at the end of a run; `hint`: a setting that would keep rows from being held. */
type LastReport = { summary: Summary | undefined; state: PortfolioState; hint: string | undefined };

/** The report at the end of a run; undefined where it was stopped and Redis does not answer. Otherwise, Redis is waited for. */
export async function lastReport(
  portfolio: string,
  context: Context,
  stop: AbortSignal,
): Promise<LastReport | undefined> {
  const report = async (): Promise<LastReport> => {
    const [summary, state] = await Promise.all([summarize(portfolio, context), context.portfolios.read(portfolio)]);
    const hint = summary && summary.states.held > 0 ? await notMadeHint(portfolio, context) : undefined;
    return { summary, state: await withDoubt(state, context), hint };
  };
  try {
    if (!stop.aborted) return await untilStopped(context.retryUntilAnswered, stop)('report', report);
    // Its rejection is always handled: an unhandled one would end the process.
    const last = report();
    const inTime = within(LAST_REPORT_MS, last).catch(() => false);
    return context.ledger.status === 'ready' && (await inTime) ? await last : undefined;
  } catch (error) {
    if (isLimitlineError(error, 'STOPPED')) return undefined;
    throw error;
  }
}

/** Suggests SERVICE_NOT_MADE if rows are held by responses that may mean "nothing made". */
async function notMadeHint(portfolio: string, { rows, settings }: Context): Promise<string | undefined> {
  const held = await rows.inState(portfolio, 'held', { count: HELD_LOOKED_AT });
  const results = await rows.read(held.map(({ row }) => row));
  const statuses = new Set(results.map((result) => hintedStatus(result?.problem?.message ?? '')));
  const named = [...statuses].filter((status) => status !== undefined).sort();
  if (named.length === 0) return undefined;
  const setting = `SERVICE_NOT_MADE=${[...settings.SERVICE_NOT_MADE, ...named].join(',')}`;
  return `limitline: rows are held because the service answered ${named.join(', ')}, and that does not say whether anything was made. If you know that it makes nothing then, set ${setting}: from then on such calls are sent again by themselves.`;
}
