import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { forgetPortfolio } from '../../../jobs/archive/forget-portfolio.ts';
import { restorePortfolio } from '../../../jobs/archive/restore-portfolio.ts';
import { lookThrough, reconcile } from '../../../jobs/nightly/reconcile.ts';
import { addRule, retryByRules } from '../../../jobs/nightly/retry-by-rules.ts';
import { retryNamed } from '../../../jobs/operators/retry-row.ts';
import type { FoundItem } from '../../../src/ledger/nightly/checks.ts';
import { countFindings } from '../../../src/ledger/nightly/compare-reports.ts';
import type { LedgerNow } from '../check/rows-now.ts';
import { NEVER, orSaid, whatsNow } from './acts.ts';
import type { Act } from './desk.ts';

/** The state of a portfolio that is leaving Redis; undefined for an ordinary one. */
const archiveOf = (name: string, { portfolios }: LedgerNow): string | undefined => {
  const text = portfolios.find((one) => one.name === name)?.fields.archive;
  return text === undefined ? undefined : (JSON.parse(text) as { is: string }).is;
};

const isFinished = (name: string, { portfolios }: LedgerNow): boolean =>
  portfolios.find((one) => one.name === name)?.fields.finished !== undefined;

/** An action that was begun without hearing of its end is repeated by another person. */
const again =
  (name: string, act: (desk: Parameters<Act>[0]) => Promise<unknown>): Act =>
  async (desk) => {
    const { left } = desk.simulation;
    left.set(name, async (later) => {
      if (await orSaid(() => act(later))) left.delete(name);
    });
    if (await orSaid(() => act(desk))) left.delete(name);
  };

/** Archives a portfolio as soon as it is finished. */
export const archives =
  (portfolio: string): Act =>
  async (desk) => {
    if (!(await desk.until((now) => isFinished(portfolio, now)))) return;
    await again(`archive ${portfolio}`, ({ context, by }) =>
      archivePortfolio(context, portfolio, { by, signal: NEVER }),
    )(desk);
  };

/** Restores a portfolio as soon as it is archived. It was wanted for reading, so none of its rows is sent again. */
export const restores =
  (portfolio: string): Act =>
  async (desk) => {
    if (!(await desk.until((now) => archiveOf(portfolio, now) === 'archived'))) return;
    await again(`restore ${portfolio}`, async ({ context, simulation }) => {
      await restorePortfolio(context, portfolio, { signal: NEVER });
      const whats = await whatsNow(portfolio, desk);
      simulation.says.push({ is: 'given up', whats, atMs: simulation.nowMs() });
    })(desk);
  };

/** Forgets a finished or archived portfolio. */
export const forgets =
  (portfolio: string): Act =>
  async (desk) => {
    if (!(await desk.until((now) => archiveOf(portfolio, now) === 'archived' || isFinished(portfolio, now)))) return;
    await again(`forget ${portfolio}`, ({ context, by }) => forgetPortfolio(portfolio, { by, signal: NEVER }, context))(
      desk,
    );
  };

/** Does this as soon as a portfolio is archived. */
export const behindArchive =
  (portfolio: string, ...acts: readonly Act[]): Act =>
  async (desk) => {
    if (!(await desk.until((now) => archiveOf(portfolio, now) === 'archived'))) return;
    for (const act of acts) await act(desk);
  };

const MAY_BE_REFUSED: ReadonlySet<string> = new Set(['limit', 'refused']);

/** Makes a rule by which refused rows are sent again at night, and plays two nights. */
export const nightsByRule: Act = async (desk) => {
  const { context, by } = desk;
  if (!(await desk.until(({ rows }) => rows.some(({ state }) => state === 'refused')))) return;
  await orSaid(async () => {
    await addRule({ status: '422', nights: '2' }, by, context);
    for (const hours of [0, 24]) {
      const atMs = Date.now() + hours * 3_600_000;
      // The rule also sends rows whose call is in flight now and is refused during the night.
      const wanted = (await desk.now()).rows.filter(({ state }) => MAY_BE_REFUSED.has(state));
      desk.simulation.says.push({ is: 'wanted', whats: wanted.map(({ what }) => what), atMs: Date.now() });
      const night = { id: new Date(atMs).toISOString(), atMs, by: 'nightly', from: 'simulated', signal: NEVER };
      await retryByRules(night, context);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
  });
};

/** Runs the nightly check twice. It finds no fault in an unbroken ledger, whatever happens at the same time. */
export const checksAtNight: Act = async ({ context, simulation, now }) => {
  for (const which of ['first', 'second']) {
    await orSaid(async () => {
      const night = { id: which, atMs: Date.now(), by: 'nightly', signal: NEVER };
      const found = await reconcile({ ...context, printReport: async () => undefined } as never, night);
      const report = await context.reports.read(found.report);
      const isHeld = (await now()).rows.some(({ state }) => state === 'held');
      const forPeople = report && !isHeld ? countFindings(report, 'person') : 0;
      const differences = forPeople + (report ? countFindings(report, 'mended') : 0);
      if (differences > 0 && simulation.isWhole()) simulation.breaks(new Error(`the night found: ${found.words}`));
    });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
};

/**
 * A call lasts eight seconds at most in the simulator, and a claim counts as old a minute later
 * (jobs/nightly/ledger/rows-and-calls.ts).
 */
const OLD_CLAIM_MS = 75_000;

/**
 * The nightly check reports calls whose sender died and to which no row comes any more. A person runs the commands that
 * it prints.
 */
export const asksForOldClaims: Act = async ({ context, simulation, by, now }) => {
  await new Promise((resolve) => setTimeout(resolve, OLD_CLAIM_MS));
  const told: FoundItem[] = [];
  const sink = { found: (item: FoundItem) => void told.push(item) };
  await lookThrough(context as never, sink, { atMs: Date.now(), signal: NEVER });
  const claims = told.filter(({ check }) => check === 'old claims');
  // A sender that only lost its job writes down the result of its call within that time.
  const isClaimed = (await now()).calls.some(({ fields }) => fields.state === 'claimed');
  if (claims.length === 0 && isClaimed) simulation.breaks(new Error('nobody is told of a call whose sender died'));
  for (const { command = '' } of claims) {
    if (command === '') continue;
    const [, portfolio = '', state, key] = /^retry (\S+) --state (cancelled|refused) --row (\S+)$/.exec(command) ?? [];
    const row = (await now()).rows.find((one) => one.portfolio === portfolio && one.key === key);
    if (!row) throw new Error(`the command for a call whose sender died does nothing: ${command}`);
    simulation.says.push({ is: 'wanted', whats: [row.what], atMs: simulation.nowMs() });
    await orSaid(() => retryNamed({ portfolio, row: row.key, state: state as 'cancelled' | 'refused' }, by, context));
  }
};
