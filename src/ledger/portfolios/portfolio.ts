import type { CallKind } from '../../call-kind.ts';
import type { LeftOut } from '../counts/money.ts';
import type { Tallied } from '../counts/sums.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import type { PauseKind } from '../schema/pause-reasons.ts';
import type { RowState } from '../schema/row.ts';
import type { ImportedFile } from './imports.ts';

/** The company on whose behalf a portfolio's limits are requested. It has an `id` once it is made at the service. */
export type PortfolioSupplier = { body?: Record<string, unknown>; key?: string; id?: string; problem?: string };

/** A portfolio at one moment: its counts, and the sums of its rows. */
export type PortfolioState = Omit<Tallied, 'rows' | 'added'> & {
  name: string;
  /** Whether an import into the portfolio is under way. */
  importing: boolean;
  /** Whether the last import was given up or killed before the end of its file. */
  interrupted: boolean;
  /** Whether the portfolio's archive is being written, which may still be given up. */
  archiving: boolean;
  paused: string | undefined;
  /** When the portfolio was last paused; undefined where that is not known. */
  pausedMs: number | undefined;
  pauseKind: PauseKind;
  /** The only person who imported into the portfolio; undefined if several did, or if that is not known. */
  owner: string | undefined;
  /** Number of rows that go first, before the portfolio pauses itself; undefined if all go. */
  first: number | undefined;
  /** The last imported file, and its number in the portfolio. */
  file: (ImportedFile & { number: number }) | undefined;
  /** Number of imports begun, repeated files included. */
  begun: number;
  /** Calls whose outcome was unknown and that a setting or a person had sent again. */
  resent: Record<CallKind, number>;
  /** How often an ended row of the portfolio was sent again, or went on since its call was no longer in doubt. */
  reopened: number;
  /** The currencies that the portfolio's files name, as far as they were read to their ends; '' for files that name none. */
  currencies: string[];
  supplier: PortfolioSupplier | undefined;
  /** Whether the supplier waits for the approval of the import that named it. */
  supplierAwaits: boolean;
  /** A supplier that a later import named, and that waits for an approval or was declined. Until it is approved, rows go with `supplier`. */
  laterSupplier: (PortfolioSupplier & { awaits: boolean }) | undefined;
  /** Who last gave up the portfolio's open rows, and when, in ms. */
  givenUp: { by: string; atMs: number } | undefined;
  /** When that last cancelled a row, in ms: giving up a portfolio without open rows cancels nothing. */
  rowsGivenUpMs: number | undefined;
  startedMs: number | undefined;
  finishedMs: number | undefined;
  /** Invalid lines of the last import, without those that count as an existing row of their request. */
  invalid: number;
  duplicate: number;
  /** Rows whose line in the last import is invalid: they stay as they were, and the line counts as its row. */
  kept: number;
  /** The amounts of the invalid and duplicate lines; undefined if an older version imported some of them. */
  leftOut: LeftOut | undefined;
  states: Record<RowState, number>;
  calls: Record<CallKind | 'token' | 'throttled', number>;
  /** Number of things made twice for the portfolio's rows; only `resend` and a person's answer can lead to that. */
  madeTwice: number;
  /**
   * Counts kept apart from the rows since the portfolio began: rows imported, by the import's number, and limits made by calls for its
   * rows. Undefined for a portfolio older than these counts.
   */
  counted: { added: Record<string, number>; limitsMade: number } | undefined;
};

/**
 * The problem of a supplier that was given up. Such a supplier is created again after an import with --supplier, or when the cancelled rows
 * are sent again.
 */
export const GIVEN_UP = 'given up with its portfolio';

export function isPending({ body, id, problem }: PortfolioSupplier): boolean {
  return body !== undefined && !id && !problem;
}

/** A text for people about a supplier that a later import named and that does not count for the portfolio; undefined for none. */
export function laterSupplierWords({ laterSupplier }: Pick<PortfolioState, 'laterSupplier'>): string | undefined {
  if (!laterSupplier) return undefined;
  const { body, id, problem, awaits } = laterSupplier;
  const name = body?.name ?? id;
  const why = awaits ? 'It waits for approval.' : `It was not taken: ${problem}.`;
  return `A later import names another supplier, ${name}. ${why} Until another supplier is approved, the one before counts for all rows.`;
}

/** Number of calls that were sent for the portfolio's rows, without token calls. */
export function callsSent({ calls: { company, document, limit } }: Pick<PortfolioState, 'calls'>): number {
  return company + document + limit;
}

/** The suppliers of portfolios, on whose behalf limits are requested. */
export function makeSuppliers({ connection, keys }: LedgerPlace) {
  const change = makeGatedScript(connection, 'general#change-fields');
  const suppliers = {
    /**
     * Sets the supplier of a portfolio. Answers whether it did: not if the approval is closed, since people who answer the approval did not
     * see this supplier.
     *
     * @param approval of the import that names it: nothing is sent for the supplier before it is granted, and the one before it counts
     */
    async setSupplier(name: string, supplier: PortfolioSupplier, approval?: string): Promise<boolean> {
      const hash = keys.portfolio(name);
      const named = ['HSET', 'supplier', JSON.stringify(supplier)];
      if (approval === undefined) {
        const changes = [...named, 'HDEL', 'supplierApproval', '', 'HDEL', 'supplierBefore', ''];
        return (await change({ hash }, { changes })) !== null;
      }
      const content = await connection.hget(keys.approval(approval), 'content');
      for (;;) {
        const known = await connection.hmget(hash, 'supplier', 'supplierApproval', 'supplierBefore');
        const [before, waitsFor, counts] = known.map((text) => text ?? '') as [string, string, string];
        const isKept =
          counts === '' && waitsFor === '' && before !== '' && !(JSON.parse(before) as PortfolioSupplier).problem;
        const asRead = ['IS', 'supplier', before, 'IS', 'supplierApproval', waitsFor, 'IS', 'supplierBefore', counts];
        const keeps = isKept ? ['HSET', 'supplierBefore', before] : [];
        // The field `approving:<content>` of the portfolio names the open approval of this content. Another value means that this approval
        // is closed.
        const isOpen = ['IS', `approving:${content}`, approval];
        const changes = [...isOpen, ...asRead, ...keeps, ...named, 'HSET', 'supplierApproval', approval];
        if ((await change({ hash }, { changes })) !== null) return true;
        if ((await connection.hget(hash, `approving:${content}`)) !== approval) return false;
      }
    },

    /**
     * Writes the outcome of the supplier; does nothing if an import has replaced the supplier since.
     *
     * @param approval the declined approval of the supplier; does nothing if the supplier waits for another one by now
     */
    async endSupplier(name: string, supplier: PortfolioSupplier & { key: string }, approval = ''): Promise<void> {
      const hash = keys.portfolio(name);
      for (;;) {
        const fields = ['archive', 'supplier', 'supplierApproval', 'supplierBefore'] as const;
        const [archive, named, waitsFor, before] = await connection.hmget(hash, ...fields);
        // If a supplier waits for an approval, only that approval can give its outcome. Any other supplier's outcome comes from its call;
        // such a supplier is in `supplierBefore` while a later one waits.
        const [field, known] = approval === '' && before ? ['supplierBefore', before] : ['supplier', named];
        if (archive || !known || ((JSON.parse(known) as PortfolioSupplier).key ?? '') !== supplier.key) return;
        if (approval !== '' && waitsFor !== approval) return;
        const asRead = ['IS', 'archive', '', 'IS', field, known, 'IS', 'supplierApproval', waitsFor ?? ''];
        const ends = approval === '' ? [] : ['HDEL', 'supplierApproval', ''];
        const changes = [
          ...asRead,
          'IS',
          'supplierBefore',
          before ?? '',
          ...ends,
          'HSET',
          field,
          JSON.stringify(supplier),
        ];
        if ((await change({ hash }, { changes })) !== null) return;
      }
    },

    /**
     * The supplier of a portfolio as it is known now. One whose outcome was unknown takes the id that its call got since: by a late answer, or
     * for another portfolio that names it.
     */
    async knownSupplier(name: string, supplier: PortfolioSupplier | undefined): Promise<PortfolioSupplier | undefined> {
      const { body, key, id, problem } = supplier ?? {};
      if (!body || !key || id || !problem?.startsWith(IN_DOUBT)) return supplier;
      const [state, made] = await connection.hmget(keys.call('company', key), 'state', 'id');
      if (state !== 'made' || !made) return supplier;
      const known = { body, key, id: made };
      // The next reading tries again what cannot be written now, as while the portfolio is being archived.
      await suppliers.endSupplier(name, known).catch(() => {});
      return known;
    },

    /** Whether a person declined this supplier, in any portfolio, and nobody has approved it since. */
    isSupplierDeclined: async (key: string): Promise<boolean> =>
      (await connection.hexists(keys.call('company', key), 'declined')) === 1,

    /** Requests a supplier again that was cancelled with its portfolio; does nothing if another one counts by now, or it was made since. */
    async reviveSupplier(name: string, { body, key }: PortfolioSupplier): Promise<void> {
      const hash = keys.portfolio(name);
      for (;;) {
        const [cancels, named, before] = await connection.hmget(hash, 'cancels', 'supplier', 'supplierBefore');
        const [field, known] = before ? ['supplierBefore', before] : ['supplier', named ?? ''];
        const counts = JSON.parse(known || '{}') as PortfolioSupplier;
        if (counts.key !== key || counts.id) return;
        const asRead = ['IS', 'supplier', named ?? '', 'IS', 'supplierBefore', before ?? ''];
        const changes = [...asRead, 'HSET', field, JSON.stringify({ body, key }), 'HSET', 'importGen', cancels ?? '0'];
        if ((await change({ hash }, { changes })) !== null) return;
      }
    },
  };
  return suppliers;
}

/** The beginning of the problem text of a supplier whose call has an unknown outcome (jobs/steps/row-problem.ts). */
const IN_DOUBT = 'It is unknown whether ';
