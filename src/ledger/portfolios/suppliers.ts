import type { RedisConnection } from '../../lua-script.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';
import type { PortfolioSupplier } from './portfolio.ts';

/** The suppliers of portfolios, on whose behalf limits are requested. */
export function makeSuppliers({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const change = makeGatedScript(connection, 'change-fields');
  return {
    /**
     * Sets the supplier of a portfolio.
     *
     * @param approval of the import that names it: nothing is sent for the supplier before it is granted
     */
    async setSupplier(name: string, supplier: PortfolioSupplier, approval?: string): Promise<void> {
      const of = approval === undefined ? 'HDEL' : 'HSET';
      const changes = ['HSET', 'supplier', JSON.stringify(supplier), of, 'supplierApproval', approval ?? ''];
      await change({ hash: keys.portfolio(name) }, { changes });
    },

    /**
     * Writes the outcome of the supplier; does nothing if an import has replaced the supplier since.
     *
     * @param approval the declined approval of the supplier; does nothing if the supplier waits for another one by now
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

    /** Whether a person declined this supplier, in any portfolio, and nobody has approved it since. */
    isSupplierDeclined: async (key: string): Promise<boolean> =>
      (await connection.hexists(keys.call('company', key), 'declined')) === 1,

    /** Requests a supplier again that was cancelled with its portfolio. */
    async reviveSupplier(name: string, { body, key }: PortfolioSupplier): Promise<void> {
      const cancels = (await connection.hget(keys.portfolio(name), 'cancels')) ?? '0';
      const changes = ['HSET', 'supplier', JSON.stringify({ body, key }), 'HSET', 'importGen', cancels];
      await change({ hash: keys.portfolio(name) }, { changes });
    },
  };
}
