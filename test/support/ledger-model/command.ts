import type fc from 'fast-check';
import { expect } from 'vitest';
import type { Cause } from '../../../src/ledger/counts/cause.ts';
import type { PortfolioState } from '../../../src/ledger/portfolios/portfolio.ts';
import { proofOf } from '../../../src/ledger/portfolios/proof.ts';
import { ROW_STATES, type RowResult, STEPS } from '../../../src/ledger/schema/row.ts';
import { addedUp, keptLimits } from '../added-up.ts';
import { expectApprovals } from './approval-commands.ts';
import { isOpen, type RealLedger } from './real-ledger.ts';
import { type Model, PORTFOLIOS } from './rules.ts';

export type Command = fc.AsyncCommand<Model, RealLedger>;

/** A command that may always be tried; afterwards the ledger must agree with the model. */
export function command(name: string, run: (model: Model, real: RealLedger) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      await run(model, real);
      await expectAgreement(model, real);
    },
    toString: () => name,
  };
}

/** The rules that hold at every moment. */
async function expectAgreement(model: Model, real: RealLedger): Promise<void> {
  const expectations = PORTFOLIOS.map(async (name) => {
    const rows = [...model.rows]
      .filter(([row]) => row.startsWith(`${name}/`))
      .map(([row, { ...fields }]) => ({ key: row.slice(name.length + 1), ...fields }));
    // In parallel, because most of the time goes into the trips to Redis.
    const [found, read, causes, canaries, ...indexes] = await Promise.all([
      real.portfolios.read(name),
      real.rows.read(rows.map(({ key }) => ({ portfolio: name, key }))),
      real.causes(name),
      real.canary(name),
      ...ROW_STATES.map((state) => real.index(name, state)),
    ]);
    // Every row is in the index of its state, with its line, and in no other index.
    for (const [place, state] of ROW_STATES.entries()) {
      const expected = rows.filter((row) => row.state === state).map(({ key, line }) => `${key} ${line}`);
      expect(pairs(indexes[place] ?? []).toSorted(), `${name}, ${state}`).toEqual(expected.toSorted());
    }
    expect(read.map((row) => [row?.state, row?.step, row?.line, row?.request.name, row?.companyId])).toEqual(
      rows.map((row) => [row.state, row.step, row.line, row.name, row.company]),
    );
    expect(Object.values(found.states).reduce((sum, count) => sum + count, 0)).toBe(rows.length);
    const { paused, statuses, calls, canary, replaced } = model.portfolio(name);
    const answers = STEPS.map((step) => (Number(canary[step]) > 0 ? `422:${canary[step]}` : (canary[step] ?? null)));
    expect(canaries).toEqual(answers);
    expect(found.paused !== undefined, `${name} is paused`).toBe(paused);
    expect(found.statuses.approved ?? 0).toBe(statuses);
    expect(found.calls).toMatchObject(calls);
    expect(found.replaced).toBe(replaced);
    const known = read.filter((row) => row !== undefined);
    await expectTallies(found, causes, known, real);
    expect(read.map((row) => row?.replaced)).toEqual(rows.map((row) => row.replaced !== undefined));
    // The proof of the portfolio from its counts never reports a wrong one.
    expect(proofOf(found, []).filter(({ is, of }) => is === 'wrong' && of !== 'twice')).toEqual([]);
    expect(found.finishedMs !== undefined, `${name} is finished`).toBe(
      !rows.some(({ state }) => isOpen(state) || state === 'awaiting'),
    );
  });
  await Promise.all(expectations);
  await expectApprovals(model, real);
  const held = [...model.rows].filter(([, { state }]) => state === 'held').map(([row]) => row);
  expect((await real.held()).toSorted()).toEqual(held.toSorted());
  for (const [thing, ids] of real.made) {
    // Only documents may be sent again and so be made twice.
    if (!thing.startsWith('document')) expect(ids, thing).toHaveLength(1);
  }
  for (const [thing, { state, id }] of model.calls) if (state === 'made') expect(real.made.get(thing)).toContain(id);
}

/**
 * Every row is found by all its current search terms, and by no earlier ones. This is checked less often, because a
 * missing or superfluous entry stays until the end.
 */
export async function expectFound(model: Model, real: RealLedger): Promise<void> {
  await Promise.all(
    PORTFOLIOS.map(async (name) => {
      expect(await real.portfolios.compare([name]), name).toEqual([]);
      const rows = [...model.rows].filter(([row]) => row.startsWith(`${name}/`));
      for (const text of new Set(rows.map(([, row]) => row.name))) {
        const { found } = await real.rows.page(name, { text }, { count: 50 });
        const expected = rows.filter(([, row]) => row.name.startsWith(text)).map(([row]) => row.slice(name.length + 1));
        expect(found.map(({ row }) => row.key).toSorted(), `${name}, ${text}`).toEqual(expected.toSorted());
      }
    }),
  );
}

/** The sums that the ledger keeps are what its rows add up to. */
async function expectTallies(
  { name, sums, short, statuses, replaced, earlierStatuses, ...answered }: PortfolioState,
  causes: readonly Cause[],
  rows: RowResult[],
  real: RealLedger,
): Promise<void> {
  const kept = causes.map(({ id, rows: count, sum }) => ({ id, rows: count, sum }));
  const expected = addedUp(rows);
  const byId = (one: { id: string | undefined }, other: { id: string | undefined }) =>
    String(one.id).localeCompare(String(other.id));
  const counts = { sums, limits: keptLimits(answered), short, statuses, replaced, earlierStatuses };
  expect({ ...counts, causes: kept.toSorted(byId) }, name).toEqual({
    ...expected,
    causes: expected.causes.toSorted(byId),
  });
  const indexes = await Promise.all(causes.map(({ id }) => real.causeIndex(name, id)));
  for (const [at, { id }] of causes.entries()) {
    const failed = rows.filter(({ cause }) => cause === id).map(({ line }) => line);
    const lines = (indexes[at] ?? []).filter((_, place) => place % 2 === 1).map(Number);
    expect(lines, `${name}, cause ${id}`).toEqual(failed.toSorted((one, other) => one - other));
  }
}

function pairs(members: string[]): string[] {
  return members.flatMap((member, place) => (place % 2 === 0 ? [`${member} ${members[place + 1]}`] : []));
}
