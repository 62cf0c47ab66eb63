import fc from 'fast-check';
import { test } from 'vitest';
import { connectRedis } from '../support/ledger.ts';
import { commandArbitraries, put } from '../support/ledger-model/commands.ts';
import { openRealLedger } from '../support/ledger-model/real-ledger.ts';
import { makeModel, PORTFOLIOS, REQUESTS } from '../support/ledger-model/rules.ts';

/** So few that random sequences reach it. */
const CANARY_REFUSALS = 3;

/** What this may take of everybody's time; a slower machine tries fewer sequences, and none is cut in the middle of a step. */
const TIME_LIMIT_MS = 8_000;

/** Long enough for a row to be refused, renewed, held and resolved in one sequence. */
const SEQUENCES = { maxCommands: 80, size: 'max' } as const;

test(
  'whatever happens in whatever order, the ledger and the rules agree, and nothing held is made twice',
  async () => {
    const connection = connectRedis();
    await fc.assert(
      fc.asyncProperty(fc.commands(commandArbitraries(), SEQUENCES), async (commands) => {
        const real = openRealLedger(connection, { canaryRefusals: CANARY_REFUSALS });
        const model = makeModel({ canaryRefusals: CANARY_REFUSALS });
        for (const name of PORTFOLIOS) {
          const run = await real.portfolios.startImport(name, { id: 'i', fileName: 'f.csv', reading: '{}' });
          await run.end();
        }
        // All is imported at first, or most commands would find nothing to do.
        for (const name of PORTFOLIOS) {
          for (const [place, key] of Object.keys(REQUESTS).entries()) {
            await put(name, key, place + 2, 'as before').run(model, real);
          }
        }
        try {
          await fc.asyncModelRun(() => ({ model, real }), commands);
        } finally {
          await real.close();
        }
      }),
      { numRuns: 300, interruptAfterTimeLimit: TIME_LIMIT_MS },
    );
  },
  TIME_LIMIT_MS * 4,
);
