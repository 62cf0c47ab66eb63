import type { Context } from '../../src/context.ts';
import { STEPS } from '../../src/ledger/row.ts';

/** The moments between two steps of a call, and of a row, at which a process may die. */
export type Moment = 'claimed' | 'answered' | 'settled' | 'advanced' | 'handed over';

/**
 * A context whose ledger and queues say when a moment has passed, as they are used. What is tested knows nothing of it.
 */
export function withMoments(context: Context, passed: (moment: Moment) => void): Context {
  const tell =
    (moment: Moment) =>
    <T>(answer: T): T => {
      passed(moment);
      return answer;
    };
  const { atMostOnce, rows, queues } = context;
  return {
    ...context,
    atMostOnce: {
      async claim(thing, onUnknown) {
        const claim = await atMostOnce.claim(thing, onUnknown);
        if (claim.is !== 'go') return claim;
        passed('claimed');
        return {
          ...claim,
          settle: (sent) => {
            passed('answered');
            return claim.settle(sent).then(tell('settled'));
          },
        };
      },
    },
    rows: {
      ...rows,
      async advance(...args) {
        const state = await rows.advance(...args);
        passed('advanced');
        // A row at its end has nothing to be handed over.
        if (!STEPS.some((step) => step === state)) passed('handed over');
        return state;
      },
    },
    queues: { ...queues, handOver: (job) => queues.handOver(job).then(tell('handed over')) },
  };
}
