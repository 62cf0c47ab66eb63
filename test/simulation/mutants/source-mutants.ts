import type { Mutant } from './mutant.ts';

/** Orders of things outside of Redis. */
export const SOURCE_MUTANTS: readonly Mutant[] = [
  {
    id: 'call-once: freed',
    words: 'rows that were held for a call stay held when it is known (issue 24, 6)',
    file: 'jobs/steps/call-once.ts',
    from: "if ('wasUnknown' in outcome && outcome.wasUnknown)\n",
    to: "if ('wasUnknown' in outcome && (outcome.is as string) === 'never')\n",
    worlds: ['refused too late, in two portfolios', 'late answers and people'],
  },
  {
    id: 'at-most-once: settled',
    words: 'what was made is not written down',
    file: 'src/ledger/at-most-once.ts',
    from: "case 'made': {\n      const { id, record } = sent;\n      return () => writeMade(id, record, claimed);",
    to: "case 'made': {\n      const { id, record } = sent;\n      return async () => ({ is: 'made', id, record });",
    worlds: ['one row', 'one request in two portfolios'],
  },
  {
    id: 'at-most-once: refusal in doubt',
    words: 'a refusal of a repetition answers for the first send',
    file: 'src/ledger/at-most-once.ts',
    from: "if (released.is === 'in doubt') {",
    to: "if (released.is === ('never' as never)) {",
    worlds: ['resent by settings', 'resolved twice'],
  },
  {
    id: 'send-again: forgotten first',
    words: 'the ended job of a row that goes again stays',
    file: 'jobs/operators/send-again.ts',
    from: 'await deps.queues.forget([row]);',
    to: '',
    worlds: ['retried and cancelled', 'a plan of retries and the board'],
  },
  {
    id: 'step: handed over',
    words: 'a row that failed at a later step is handed to nobody',
    file: 'jobs/steps/step.ts',
    from: 'await queues.handOver(job, { delayMs: ending.waitMs });',
    to: '',
    worlds: ['one row', 'one buyer, two amounts'],
  },
  {
    id: 'heal: lost jobs',
    words: 'rows whose jobs are lost are left alone',
    file: 'jobs/workers/heal.ts',
    from: 'if (open.length === 0 ||',
    to: 'if (open.length >= 0 ||',
    worlds: ['one row', 'one buyer, two amounts'],
  },
  {
    id: 'resolve-calls: looked',
    words: 'a word answers for a call that was lost after it (issue 24, 2)',
    file: 'jobs/operators/resolve-call.ts',
    from: 'const said = { by, row: found.row, asOfMs };',
    to: 'const said = { by, row: found.row, asOfMs: undefined };',
    worlds: ['resolved twice', 'resolved in two portfolios'],
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
