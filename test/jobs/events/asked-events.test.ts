import { expect, onTestFinished, test } from 'vitest';
import { startTakingEvents } from '../../../jobs/events/take-events.ts';
import type { Context } from '../../../src/context.ts';
import { decisionEvent, eventOf, letPass, MAPPING, mappingIn, writeMapping } from '../../support/events.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';
import { makeKeptLog } from '../../support/log-fixture.ts';
import { makeFolder } from '../../support/workplace.ts';

/** A portfolio with an event whose status may be mistyped, and what became of it; some parts of the context as given. */
async function openAsked(change: (context: Context) => Partial<Context>) {
  const { context } = await openFinishedPortfolio(1);
  const mapping = mappingIn(writeMapping(await makeFolder(), MAPPING));
  const { log, lines } = makeKeptLog();
  const taking = startTakingEvents({ ...context, ...change(context), log }, { mapping, everyMs: 100 });
  onTestFinished(() => taking.stop());
  await taking.keep(eventOf(decisionEvent('bl_q41', 'aproved')));
  await expect.poll(() => JSON.stringify(lines), { timeout: 20_000 }).toContain('mistyped');
  const statuses = async () => (await context.portfolios.read('q4')).statuses;
  return { context, statuses };
}

test('an event that is taken since its status got a meaning just then has its entry of the audit', async () => {
  let looks = 0;
  const { context, statuses } = await openAsked(({ statusMeanings }) => ({
    statusMeanings: {
      ...statusMeanings,
      known: async (portfolios) => {
        const known = await statusMeanings.known(portfolios);
        looks += 1;
        // Somebody says what it means while the event is read.
        if (looks === 1) await statusMeanings.set('aproved', 'approved', 'olga');
        return known;
      },
    },
  }));
  await letPass({ connection: context.ledger, keys: context.keys }, 10_000);
  await expect.poll(statuses, { timeout: 20_000 }).toEqual({ aproved: 1 });
  const { entries } = await context.audit.read.page({ count: 99, filter: {}, walk: Number.POSITIVE_INFINITY });
  expect(entries.filter(({ what }) => what === 'decisions taken in')).toHaveLength(1);
});

// Promise: mistyped-event-read-again
test('an event of Friday whose status may be mistyped is taken once somebody says on Monday what it means', async () => {
  const { context, statuses } = await openAsked(({ events }) => ({
    events: {
      ...events,
      raw: async (id) => {
        const found = await events.raw(id);
        return found && { ...found, firstMs: found.firstMs - 60 * 3_600_000 };
      },
    },
  }));
  await context.statusMeanings.set('aproved', 'approved', 'olga');
  await letPass({ connection: context.ledger, keys: context.keys }, 600_000);
  await expect.poll(statuses, { timeout: 20_000 }).toEqual({ aproved: 1 });
});
