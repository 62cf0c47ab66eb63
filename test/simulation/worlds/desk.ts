import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../src/context.ts';
import { isGoing, type LedgerNow, type RowNow, readLedger } from '../check/rows-now.ts';
import type { MadeThing } from '../doubles/service-account.ts';
import { pass } from '../run/process.ts';
import type { Simulation } from '../run/simulation.ts';

/** The place of a person: a process of the product, and a view of Redis. */
export type Desk = {
  context: Context;
  simulation: Simulation;
  /** The name of the person. */
  by: string;
  now: () => Promise<LedgerNow>;
  /** Waits until a condition holds, for some seconds at most. Returns whether it does. */
  until: (isSo: (now: LedgerNow) => boolean) => Promise<boolean>;
};

/** The action of a person. An error is a fault of the product, unless it is reported in plain words. */
export type Act = (desk: Desk) => Promise<void>;

const LOOK_EVERY_MS = 700;
const MOST_LOOKS = 24;
/** After so many looks without a change, nobody waits for more. */
const STILL_LOOKS = 4;

export function makeDesk(context: Context, simulation: Simulation, by: string): Desk {
  const now = () => pass('looks', () => readLedger(simulation.redis), { isQuiet: true });
  return {
    context,
    simulation,
    by,
    now,
    async until(isSo) {
      let seen = '';
      let still = 0;
      for (let looks = 0; looks < MOST_LOOKS && still < STILL_LOOKS; looks += 1) {
        const found = await now();
        if (isSo(found)) return true;
        const states = found.rows.map(({ key, state }) => key + state).join();
        still = states === seen && !found.rows.some((row) => isGoing(row, found)) ? still + 1 : 0;
        seen = states;
        await sleep(LOOK_EVERY_MS);
      }
      return false;
    },
  };
}

/** What the service really made for a held row: the first thing of its calls whose id the ledger does not know yet. */
export function truthOf(
  row: RowNow,
  { made }: Simulation['service'],
  { calls }: Pick<LedgerNow, 'calls'>,
): MadeThing | undefined {
  const what = whatOf(row);
  const known = new Set(calls.map(({ fields }) => fields.id));
  return made.find((thing) => thing.kind === kindOf(row) && what.includes(thing.what) && !known.has(thing.id));
}

export function kindOf({ step }: Pick<RowNow, 'step'>): MadeThing['kind'] {
  return step === 'documents' ? 'document' : step === 'company' ? 'company' : 'limit';
}

/** The names at the service double of what the step of a row requests. */
export function whatOf(row: RowNow): readonly string[] {
  if (row.step === 'company') return [row.company];
  return row.step === 'documents' ? row.documents : [row.what];
}
