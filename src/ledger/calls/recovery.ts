import type { CallKind } from '../../call-kind.ts';
import type { RedisConnection } from '../../lua-script.ts';
import type { CallRecord } from '../../outcome.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';
import { rowIdOf } from '../schema/schema.ts';

/** What a results file knows of one call. `keys` are all names by which the same thing may be asked for again. */
export type LostCall = {
  kind: CallKind;
  keys: readonly string[];
  /** Whose it is, where that is known. */
  buyer: string | undefined;
  /** `<portfolio>/<row key>`, or '' where it is not known. */
  row: string;
  /** Digest of what was asked for, where that is known. */
  asked: string | undefined;
  /** The limit that was asked for, as canonical decimal text, where that is known. */
  amount?: string | undefined;
  /** The line that the row was, in its file. */
  line: number;
  /** When the row was written last, in ms: a ledger that has it later knows more. */
  atMs: number;
} & (
  | { is: 'made'; id: string; record: CallRecord; company: string; documents: readonly string[] }
  | { is: 'unknown'; reason: string; sentMs: number }
);

/** What became of it: put back (or to be), known already, or known otherwise, under that id. */
export type Recovered = { is: 'put' } | { is: 'known' } | { is: 'differs'; id: string };

export type Recovery = ReturnType<typeof makeRecovery>;

/** Puts calls back into a ledger that was lost, or restored from an older copy. Nothing that it knows is written over. */
export function makeRecovery({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const recover = makeGatedScript(connection, 'recover-call');
  return {
    /** Puts a call back under all its names, or only tells what that would do. A difference under one of them is told. */
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
        // Under further names it is the same thing, which was made once.
        const isFirst = place === 0 && call.buyer !== undefined;
        const [is, id] = (await recover(places, argsOf(call, write, isFirst))) as string[];
        answers.push(is === 'differs' ? { is, id: id ?? '' } : { is: is === 'put' ? 'put' : 'known' });
      }
      const differing = answers.find(({ is }) => is === 'differs');
      return differing ?? { is: answers.some(({ is }) => is === 'put') ? 'put' : 'known' };
    },
  };
}

/** What recover-call.lua is told. */
function argsOf(call: LostCall, write: boolean, isFirst: boolean) {
  const { kind, is, row: name, asked, line, atMs: writtenAt } = call;
  const amount = kind === 'limit' && isFirst ? call.amount : undefined;
  const told = { kind, is, write: write ? 1 : 0, name, asked, counts: isFirst ? 1 : 0, amount, line, writtenAt };
  if (call.is === 'unknown') return { ...told, record: '{}', reason: call.reason, sentAt: call.sentMs };
  const { id, record, company, documents } = call;
  return { ...told, id, record: JSON.stringify(record), company, documents: documents.join('|'), sentAt: 0 };
}
