import type fc from 'fast-check';
import { expect } from 'vitest';
import { ROW_STATES, STEPS } from '../../../src/ledger/row.ts';
import type { RealLedger } from './real-ledger.ts';
import { isOpen, type Model, PORTFOLIOS } from './rules.ts';

export type Command = fc.AsyncCommand<Model, RealLedger>;

/** A command that may always be tried; afterwards everything must add up. */
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

/** All that must hold at every moment. */
async function expectAgreement(model: Model, real: RealLedger): Promise<void> {
  for (const name of PORTFOLIOS) {
    const rows = [...model.rows]
      .filter(([row]) => row.startsWith(`${name}/`))
      .map(([row, { ...fields }]) => ({ key: row.slice(name.length + 1), ...fields }));
    const [found, ...indexes] = await Promise.all([
      real.portfolios.read(name),
      ...ROW_STATES.map((state) => real.index(name, state)),
    ]);
    // Every row stands in the index of its state, with its line, and in no other.
    for (const [place, state] of ROW_STATES.entries()) {
      const expected = rows.filter((row) => row.state === state).map(({ key, line }) => `${key} ${line}`);
      expect(pairs(indexes[place] ?? []).toSorted(), `${name}, ${state}`).toEqual(expected.toSorted());
    }
    const read = await real.rows.read(rows.map(({ key }) => ({ portfolio: name, key })));
    expect(read.map((row) => [row?.state, row?.step, row?.line, row?.request.name, row?.companyId])).toEqual(
      rows.map((row) => [row.state, row.step, row.line, row.name, row.company]),
    );
    expect(Object.values(found.states).reduce((sum, count) => sum + count, 0)).toBe(rows.length);
    const { paused, statuses, calls, canary, replaced } = model.portfolio(name);
    const answers = STEPS.map((step) => (Number(canary[step]) > 0 ? `422:${canary[step]}` : (canary[step] ?? null)));
    expect(await real.canary(name)).toEqual(answers);
    expect(found.paused !== undefined, `${name} is paused`).toBe(paused);
    expect(found.statuses.approved ?? 0).toBe(statuses);
    expect(found.calls).toMatchObject(calls);
    expect(found.replaced).toBe(replaced);
    expect(read.map((row) => row?.replaced)).toEqual(rows.map((row) => row.replaced !== undefined));
    expect(found.finishedMs !== undefined, `${name} is finished`).toBe(!rows.some(({ state }) => isOpen(state)));
  }
  for (const [thing, ids] of real.made) {
    // A document may be sent again, so it may be made again; nothing else ever is.
    if (!thing.startsWith('document')) expect(ids, thing).toHaveLength(1);
  }
  for (const [thing, { state, id }] of model.calls) if (state === 'made') expect(real.made.get(thing)).toContain(id);
}

function pairs(members: string[]): string[] {
  return members.flatMap((member, place) => (place % 2 === 0 ? [`${member} ${members[place + 1]}`] : []));
}
