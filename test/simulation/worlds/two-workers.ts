import type { Settings } from '../../../src/config.ts';
import { OPEN_STATES } from '../../../src/ledger/schema/row.ts';
import { takeSnapshot } from '../check/snapshot.ts';
import { KEYS } from '../run/process.ts';
import type { World } from '../run/simulation.ts';
import { bringIn, openFor, requestFor, work } from './people.ts';

/** The smallest world: two worker processes, one row. */
export function twoWorkers(settings: Settings): World {
  return {
    name: 'two workers, one row',
    cast: ['ann', 'bob'],
    async setUp(simulation) {
      const importer = await openFor(simulation, 'ida', settings);
      await simulation.alone('ida', async () => {
        await importer.enterAccount();
        await bringIn(importer, 'q4', [{ key: 'row-1', request: requestFor('Buyer 1', '1000') }]);
      });
      const ann = await openFor(simulation, 'ann', settings);
      const bob = await openFor(simulation, 'bob', settings);
      simulation.start('ann', 'starts', () => work(ann));
      simulation.start('bob', 'starts', () => work(bob));
    },
    async isOver({ redis, board }) {
      if (!board.isIdle()) return false;
      const found = await takeSnapshot(redis);
      return OPEN_STATES.every((state) => found.sorted(KEYS.rowsInState('q4', state)).size === 0);
    },
    arrives({ kind, what, nth }) {
      if (nth > 1) throw new Error(`${kind} of ${what} was asked for twice`);
    },
    async checkEnd({ redis }) {
      const found = await takeSnapshot(redis);
      if (!found.sorted(KEYS.rowsInState('q4', 'done')).has('row-1'))
        throw new Error(`the row is not done ${found.keys} ${[...found.sorted(KEYS.rowsInState('q4', 'done'))]}`);
    },
  };
}
