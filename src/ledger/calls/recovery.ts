import type { CallKind, CallRecord } from '../../call-kind.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { rowIdOf } from '../schema/schema.ts';

/** A results file's record of one call. `keys`: all keys under which the same thing may be requested again. */
export type LostCall = {
  kind: CallKind;
  keys: readonly string[];
  /** The call's buyer, if known. */
  buyer: string | undefined;
  /** The call's row, `<portfolio>/<row key>`, or '' if unknown. */
  row: string;
  /** Digest of the line's request, if known. */
  asked: string | undefined;
  /** The requested limit, as canonical decimal text, if known. */
  amount?: string | undefined;
  /** The row's line number in its file. */
  line: number;
  /** When the row was last written, in ms. A ledger in which the row has a later time knows more than the file. */
  atMs: number;
} & (
  | { is: 'made'; id: string; record: CallRecord; company: string; documents: readonly string[] }
  | { is: 'unknown'; reason: string; sentMs: number }
);

/** The result of restoring a call: it was restored (or would be), the ledger knows it already, or the ledger knows it with another id. */
export type Recovered = { is: 'put' } | { is: 'known' } | { is: 'differs'; id: string };

export type Recovery = ReturnType<typeof makeRecovery>;

/** Restores calls into a ledger that was lost or restored from an older copy. Overwrites nothing that the ledger knows. */
export function makeRecovery({ connection, keys }: LedgerPlace) {
  const recover = makeGatedScript(connection, 'recover-call');
  return {
    /**
     * Restores a call under all its keys, or only checks what would happen. Answers `differs` if the ledger has another id under any of
     * these keys.
     */
    async putBack(call: LostCall, { write }: { write: boolean }): Promise<Recovered> {
      const answers: Recovered[] = [];
      for (const [place, key] of call.keys.entries()) {
        const row = rowIdOf(call.row);
        const places = {
          call: keys.call(call.kind, key),
          account: keys.account,
          limits: keys.buyerLimits(call.buyer ?? ''),
          requests: keys.buyerRows(call.buyer ?? ''),
          row: keys.row(row?.portfolio ?? '', row?.key ?? ''),
        };
        // One thing may have several keys: it is restored under each, and counted as made only once, under the first.
        const isFirst = place === 0 && call.buyer !== undefined;
        const [is, id] = (await recover(places, argsOf(call, write, isFirst))) as string[];
        answers.push(is === 'differs' ? { is, id: id ?? '' } : { is: is === 'put' ? 'put' : 'known' });
      }
      const differing = answers.find(({ is }) => is === 'differs');
      return differing ?? { is: answers.some(({ is }) => is === 'put') ? 'put' : 'known' };
    },
  };
}

/** The arguments of recover-call.lua. */
function argsOf(call: LostCall, write: boolean, isFirst: boolean) {
  const { kind, is, row: name, asked, line, atMs: writtenAt } = call;
  const amount = kind === 'limit' && isFirst ? call.amount : undefined;
  const told = { kind, is, write: write ? 1 : 0, name, asked, counts: isFirst ? 1 : 0, amount, line, writtenAt };
  if (call.is === 'unknown') return { ...told, record: '{}', reason: call.reason, sentAt: call.sentMs };
  const { id, record, company, documents } = call;
  return { ...told, id, record: JSON.stringify(record), company, documents: documents.join('|'), sentAt: 0 };
}
