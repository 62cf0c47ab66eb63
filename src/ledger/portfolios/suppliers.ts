import type { RedisConnection } from '../../lua-script.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';
import type { PortfolioSupplier } from './portfolio.ts';

/** Whom the portfolios' limits are asked for on behalf of. */
export function makeSuppliers({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const change = makeGatedScript(connection, 'change-fields');
  return {
    /**
     * Names the supplier of a portfolio.
     *
     * @param approval of the import that names it: nothing is sent for it before that is granted
     */
    async setSupplier(name: string, supplier: PortfolioSupplier, approval?: string): Promise<void> {
      const of = approval === undefined ? 'HDEL' : 'HSET';
      const changes = ['HSET', 'supplier', JSON.stringify(supplier), of, 'supplierApproval', approval ?? ''];
      await change({ hash: keys.portfolio(name) }, { changes });
    },

    /**
     * Writes down what became of the supplier; of one that an import has replaced meanwhile, nothing.
     *
     * @param approval for which it waits, and which will not be given: of one that waits for another, nothing
     */
    async endSupplier(name: string, supplier: PortfolioSupplier & { key: string }, approval = ''): Promise<void> {
      const hash = keys.portfolio(name);
      for (;;) {
        const [archive, known, waitsFor] = await connection.hmget(hash, 'archive', 'supplier', 'supplierApproval');
        if (archive || !known || (JSON.parse(known) as PortfolioSupplier).key !== supplier.key) return;
        if (approval !== '' && waitsFor !== approval) return;
        const asRead = ['IS', 'archive', '', 'IS', 'supplier', known, 'IS', 'supplierApproval', waitsFor ?? ''];
        const ends = approval === '' ? [] : ['HDEL', 'supplierApproval', ''];
        const changes = [...asRead, ...ends, 'HSET', 'supplier', JSON.stringify(supplier)];
        if ((await change({ hash }, { changes })) !== null) return;
      }
    },

    /** Whether somebody said no to this supplier, in whichever portfolio, and nobody yes since. */
    isSupplierDeclined: async (key: string): Promise<boolean> =>
      (await connection.hexists(keys.call('company', key), 'declined')) === 1,

    /** Asks again for a supplier that was cancelled with its portfolio. */
    async reviveSupplier(name: string, { body, key }: PortfolioSupplier): Promise<void> {
      const cancels = (await connection.hget(keys.portfolio(name), 'cancels')) ?? '0';
      const changes = ['HSET', 'supplier', JSON.stringify({ body, key }), 'HSET', 'importGen', cancels];
      await change({ hash: keys.portfolio(name) }, { changes });
    },
  };
}
