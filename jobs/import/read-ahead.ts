import { setImmediate } from 'node:timers/promises';
import type { BuyerStore } from '../../src/portfolio/identity/buyer-book.ts';

/** A file read one batch ahead: its batches, and the buyers that its lines ask for. */
type ReadAhead = {
  /** The same batches. Asking for a batch says that the one before it was put. Can be iterated once. */
  batches<Batch>(read: () => AsyncIterable<Batch>): AsyncGenerator<Batch>;
  /** The same buyers. A question that rows answer waits until the batch before was put. */
  buyersOf(store: BuyerStore): BuyerStore;
};

/**
 * Reads the next batch of lines while one is being put. So the process and Redis work at the same time; otherwise each waits for the other.
 *
 * Buyers' records are written with a batch's lines, so the next batch finds them. What else a line asks is known from rows: which buyers
 * have a company's id, and whether anything was sent for a buyer.
 */
export function makeReadAhead(): ReadAhead {
  let put = Promise.resolve();
  return {
    async *batches(read) {
      const reading = read()[Symbol.asyncIterator]();
      let wasPut = () => {};
      try {
        let next = reading.next();
        for (;;) {
          const { done, value } = await next;
          if (done) return;
          ({ promise: put, resolve: wasPut } = Promise.withResolvers<void>());
          // The first commands of this batch go to Redis before the process is busy with the next one.
          next = setImmediate().then(() => reading.next());
          // A fault is thrown when the batch is due.
          next.catch(() => {});
          yield value;
          wasPut();
        }
      } finally {
        wasPut();
        await reading.return?.();
      }
    },
    buyersOf: (store) => ({
      ...store,
      async read(questions) {
        if (questions.some(({ companyId }) => companyId !== undefined)) await put;
        return store.read(questions);
      },
      async unsent(buyers) {
        if (buyers.length > 0) await put;
        return store.unsent(buyers);
      },
    }),
  };
}
