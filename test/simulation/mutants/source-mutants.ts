import { foundBy, type Mutant } from './mutant.ts';

const TWICE = 'refused, and retried twice';

/** Rows whose jobs were lost get new ones. */
const HEALS = { file: 'jobs/workers/feeder.ts', from: 'if (open.length === 0 ||', to: 'if (open.length >= 0 ||' };
/** A failed job that blocks a waiting row is removed. */
const CLEARS = { file: 'jobs/rows/feed.ts', from: 'if (failed.length === 0) return;', to: 'if (failed) return;' };

/** The order of steps outside of Redis. */
export const SOURCE_MUTANTS: readonly Mutant[] = [
  {
    id: 'at-most-once: settled',
    words: 'what was made is not written down',
    file: 'src/ledger/calls/at-most-once.ts',
    from: 'known = await calls.settle(thing, owner, { id, record, buyer: thing.buyer }, { moving, next: nextClaim });',
    to: "known = { id, late: false, went: 'stayed' };",
    worlds: ['one row', 'one request in two portfolios'],
  },
  {
    id: 'at-most-once: refusal in doubt',
    words: 'a refusal of a repetition answers for the first send',
    file: 'src/ledger/calls/at-most-once.ts',
    from: "if (released.is === 'in doubt') {",
    to: "if (released.is === ('never' as never)) {",
    worlds: ['resent, and refused then'],
  },
  foundBy(
    {
      id: 'send-again: forgotten first',
      words: 'the ended job of a row that goes again stays, and nobody clears it away later',
      file: 'jobs/operators/free-held.ts',
      from: 'await deps.queues.forget([row]);',
      to: '',
      worlds: [TWICE],
      also: [CLEARS, HEALS],
    },
    {
      world: TWICE,
      schedule: {
        order: ['ann', 'bob', 'rita', 'rolf', 'olga'],
        deviations: { 'rita#1': 'stands still' },
        answers: {
          'limit of Buyer-1@example.com 1000 #1': 'refused',
          'limit of Buyer-1@example.com 1000 #2': 'refused',
        },
      },
    },
  ),
  {
    id: 'step: handed over',
    words: 'a row that failed at a later step is handed to nobody, and rows whose jobs are lost are left alone',
    file: 'jobs/steps/step.ts',
    from: 'await queues.handOver(job, { delayMs: due.waitMs });',
    to: '',
    worlds: ['one buyer, two amounts', 'lost too late, and resent', 'one row'],
    also: [HEALS],
  },
  {
    id: 'carry-out: goes on',
    words: 'what was answered is carried out by nobody else',
    file: 'jobs/workers/feeder.ts',
    from: 'await carryOutAllAnswered(deps);',
    to: '',
    worlds: ['approved', 'approved and imported again'],
  },
];
