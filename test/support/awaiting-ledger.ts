import type { Approval, ApprovalPolicy } from '../../src/ledger/schema/approval.ts';
import type { RowRequest } from '../../src/ledger/schema/row.ts';
import { makeRequest, openLedger } from './ledger.ts';

/** Every import waits for approval. */
export const ALWAYS: ApprovalPolicy = { always: true, above: undefined };

/** An approval that is open during its import or afterwards. */
export type Waiting = { id: string; look: () => Promise<Approval> };

/** A ledger of this test in which imports wait for approval. */
export function openApprovals() {
  const ledger = openLedger({ asksApproval: true });
  const { approvals, rows, portfolios } = ledger;

  /** Starts an import of a file with this name into q4. */
  async function begin(
    name: string,
    { by = 'alice', supplier }: { by?: string; supplier?: string } = {},
  ): Promise<Waiting> {
    const file = { id: `sha-of-${name}`, fileName: name, reading: '{}', by };
    const run = await portfolios.startImport('q4', file);
    const id = await approvals.beginImport('q4', { file, number: run.number, authors: [by], supplier });
    await run.end();
    return { id, look: () => look(id) };
  }

  async function look(id: string): Promise<Approval> {
    const found = await approvals.read(id);
    if (!found) throw new Error(`There is no approval ${id}`);
    return found;
  }

  /** Stores rows by their keys and amounts, on lines from 2 on. */
  async function put(approval: string | undefined, amounts: Record<string, string>, changes: Partial<RowRequest> = {}) {
    const answers: string[] = [];
    for (const [place, [key, requested_limit]] of Object.entries(amounts).entries()) {
      const request = makeRequest({ buyer: `buyer of ${key}`, limit: { requested_limit }, ...changes });
      answers.push(await rows.put({ portfolio: 'q4', key }, place + 2, '1', request, '', { approval }));
    }
    return answers;
  }

  return {
    ...ledger,
    begin,
    put,
    /** Imports a whole file with these rows. */
    async imported(name: string, amounts: Record<string, string>, policy = ALWAYS, by = 'alice'): Promise<Waiting> {
      const waiting = await begin(name, { by });
      await put(waiting.id, amounts);
      await approvals.close({ portfolio: 'q4', id: waiting.id }, policy);
      return waiting;
    },
    /** Grants the approval in its current state. */
    async grant(waiting: Waiting, by = 'bob') {
      const { id, digest } = await waiting.look();
      return approvals.grant({ id, digest, by });
    },
    async decline(waiting: Waiting, by = 'bob', words = 'too much') {
      const { id, digest } = await waiting.look();
      return approvals.decline({ id, digest, by, words });
    },
    /** Releases all rows of the answered approval. */
    async free(waiting: Waiting): Promise<void> {
      for (let left = 1; left > 0; ) {
        const id = { portfolio: 'q4', id: waiting.id };
        left = await approvals.freeSome(id, await approvals.rowsOf(id, { count: 2 }));
      }
    },
    async stateOf(key: string) {
      const [row] = await rows.read([{ portfolio: 'q4', key }]);
      return row?.state;
    },
    /**
     * The answer of the ledger to a claim for this row at its current revision. The row is moved to the
     * step of the call first, if it may be.
     */
    async claim(key: string, kind: 'company' | 'limit' = 'limit', owner = 'ann/9') {
      const row = { portfolio: 'q4', key };
      await ledger.rows.begin(row, 'company');
      if (kind === 'limit') {
        await ledger.rows.advance(row, 'company', 'limit', { company: 'company_1' });
        await ledger.rows.begin(row, 'limit');
      }
      const revision = (await ledger.connection.hget(ledger.keys.row('q4', key), 'rev')) ?? '0';
      const thing = { kind, key: kind === 'limit' ? key : `buyer of ${key}`, row, revision };
      return (await ledger.calls.claim(thing, { owner, onUnknown: 'hold' })).is;
    },
  };
}
