import type { Context } from '../../src/context.ts';
import type { Claim } from '../../src/ledger/calls/at-most-once.ts';
import { STEPS } from '../../src/ledger/schema/row.ts';

/** The moments of a call, and of a row, between which a process may die. */
export type Moment = 'claimed' | 'answered' | 'settled' | 'advanced' | 'handed over';

/** A context whose ledger and queues report passed moments. The product does not notice it. */
export function withMoments(context: Context, passed: (moment: Moment) => void): Context {
  const tell =
    (moment: Moment) =>
    <T>(answer: T): T => {
      passed(moment);
      return answer;
    };
  const { atMostOnce, rows, queues } = context;
  const movedTo = (state: unknown): void => {
    passed('advanced');
    // A row at its end is not handed over.
    if (!STEPS.some((step) => step === state)) passed('handed over');
  };
  /** A row that moves on with its next call has passed several moments when the ledger answers. */
  const watched = (claim: Claim): Claim => {
    passed('claimed');
    return {
      ...claim,
      async settle(sent, after) {
        passed('answered');
        const ended = await claim.settle(sent, after);
        passed('settled');
        if (!('moved' in ended)) return ended;
        movedTo(after?.moving?.to);
        const next = ended.moved.claim;
        return { ...ended, moved: { claim: next && watched(next) } };
      },
    };
  };
  return {
    ...context,
    atMostOnce: {
      ...atMostOnce,
      async claim(thing, onUnknown) {
        const claim = await atMostOnce.claim(thing, onUnknown);
        return claim.is === 'go' ? watched(claim) : claim;
      },
    },
    rows: {
      ...rows,
      async advance(...args) {
        const state = await rows.advance(...args);
        movedTo(state);
        return state;
      },
    },
    queues: { ...queues, handOver: (...args) => queues.handOver(...args).then(tell('handed over')) },
  };
}
