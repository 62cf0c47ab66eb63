import { createHash } from 'node:crypto';
import { makeLuaScript } from '../../lua-script.ts';
import type { Thing } from '../calls/claim-answers.ts';
import { sumIn } from '../counts/sums.ts';
import { isPending, type PortfolioSupplier } from '../portfolios/portfolio.ts';
import type { Approval, ApprovalId, ApprovalKind, ApprovalStanding, OverOf, ReasonToAsk } from '../schema/approval.ts';
import { approvalIdOf, supplierIdIn } from '../schema/approval.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { redisNowMs } from '../schema/redis-reads.ts';
import type { RowId } from '../schema/schema.ts';

/**
 * An approval as read from its hash. `moves` changes with each change of the approval. `noes`: how many approvals of the account were
 * declined when those were last searched for requests of this one. `supplier`: key of the supplier that waits for the approval too, or ''.
 * `displaced`: key of the portfolio's present supplier, whose company is not made any more after a yes, or ''.
 */
export type ReadApproval = { approval: Approval; moves: string; noes: string; supplier: string; displaced: string };

/** Reads an approval from its hash; undefined if there is none. */
export function readApproval(id: string, fields: Readonly<Record<string, string>>): ReadApproval | undefined {
  const { portfolio, kind, standing } = fields;
  if (portfolio === undefined || kind === undefined || standing === undefined) return undefined;
  const isAnswered = fields.answeredAt !== undefined;
  const bound = {
    id,
    portfolio,
    kind: kind as ApprovalKind,
    file:
      fields.sha256 === undefined
        ? undefined
        : { name: fields.fileName ?? '', sha256: fields.sha256, reading: fields.reading ?? '' },
    rows: Number((isAnswered ? fields.ofRows : fields.rows) ?? 0),
    sum: sumIn(fields, isAnswered ? 'asked' : 'rows'),
    redone: fields.redone,
  };
  const approval: Approval = {
    ...bound,
    standing: standing as ApprovalStanding,
    redoneOf: fields.no,
    authors: authorsIn(fields),
    askedMs: Number(fields.asked),
    importId: fields.importId,
    supplierId: supplierIdIn(fields.supplier ?? ''),
    supplierAgain:
      fields.supplierMs === undefined ? undefined : { key: fields.supplier ?? '', atMs: Number(fields.supplierMs) },
    atFirst: fields.atFirst === undefined ? undefined : { rows: Number(fields.atFirst), sum: sumIn(fields, 'first') },
    digest: approvalDigest({ ...bound, supplier: fields.supplier ?? '', no: fields.no }),
    over:
      fields.over === undefined
        ? undefined
        : {
            of: fields.over as OverOf,
            name: fields.overOf ?? '',
            sum: sumIn(fields, fields.over === 'rows' ? 'first' : 'over'),
            limit: fields.limit ?? '',
          },
    because: fields.because as ReasonToAsk | undefined,
    answered: isAnswered
      ? { by: fields.answeredBy ?? '', atMs: Number(fields.answeredAt), words: fields.words ?? '' }
      : undefined,
  };
  return {
    approval,
    moves: fields.moves ?? '0',
    noes: fields.noes ?? '',
    supplier: fields.supplier ?? '',
    displaced: '',
  };
}

const AUTHOR = 'author:';

function authorsIn(fields: Readonly<Record<string, string>>): string[] {
  const found = Object.keys(fields).filter((field) => field.startsWith(AUTHOR));
  return found.map((field) => field.slice(AUTHOR.length)).sort();
}

/** The part of an approval that an answer covers. */
type Bound = Pick<Approval, 'id' | 'portfolio' | 'kind' | 'file' | 'rows' | 'sum' | 'redone'> & {
  supplier: string;
  /** Id of the approval by which a person declined some of the requests that this approval asks for; undefined for none. */
  no: string | undefined;
};

/**
 * A digest of everything that an answer covers: the approval, the file's bytes and how they are read, the supplier, the number of rows,
 * their sum, and an earlier refusal. Once an approval is complete, its rows only become fewer, so each change also changes the digest.
 * 43 characters, base64url of SHA-256.
 */
function approvalDigest({ id, portfolio, kind, file, supplier, rows, sum, redone, no }: Bound): string {
  const bound = [
    id,
    portfolio,
    kind,
    file?.sha256 ?? '',
    file?.reading ?? '',
    supplier,
    rows,
    sum,
    redone,
    ...(no ? [no] : []),
  ];
  return createHash('sha256').update(JSON.stringify(bound)).digest('base64url');
}

/**
 * Adds two supplier names to an approval: the supplier that the import `named`, and the portfolio's present one, if a yes would replace it
 * before its company is made. Both suppliers' whole records enter the digest, since the key of a supplier does not depend on its address.
 */
export async function nameSuppliers(
  found: ReadApproval,
  named: string | undefined,
  { connection, keys }: LedgerPlace,
): Promise<void> {
  const { approval, supplier: key } = found;
  if (key === '') return;
  const hash = keys.portfolio(approval.portfolio);
  const [last, waitsFor, before] = await connection.hmget(hash, 'supplier', 'supplierApproval', 'supplierBefore');
  const read = (text: string | null | undefined): PortfolioSupplier | undefined =>
    text ? JSON.parse(text) : undefined;
  const bind = (said: unknown) => {
    const whole = approval.digest + JSON.stringify(said);
    approval.digest = createHash('sha256').update(whole).digest('base64url');
  };
  const own = read(named ?? last);
  if (own?.body && own.key === key) {
    approval.supplier = String(own.body.name);
    bind(own.body);
  }
  const counts = read(before ?? (waitsFor ? undefined : last));
  if (named === undefined || approval.standing !== 'waiting' || !counts || !isPending(counts) || counts.key === key)
    return;
  found.displaced = counts.key ?? '';
  approval.displaces = String(counts.body?.name);
  bind(counts);
}

/** The number of an approval's rows that are read at a time, which takes Redis some milliseconds. */
const PAGE = 500;

/** Who declined, with the comment, in the same words as noOf of approvals.lua. */
const noWords = (by: string | null | undefined, words: string | null | undefined): string =>
  `by ${by ?? 'a person'}${words ? `: ${words}` : ''}`;

/**
 * Finds requests that a person declined. A declined request stays so until another person says yes. The refusal belongs to the request or
 * supplier, in all portfolios: it is kept with the call, and claim.lua sends nothing against it.
 */
export function makeDeclined({ connection, keys }: LedgerPlace) {
  const lastNo = makeLuaScript(connection, new URL('../lua/last-no.lua', import.meta.url));

  /**
   * Who last declined an answer to one of these calls in doubt, as `by NAME: WORDS`. An approval that is missing in Redis was archived: it
   * counts as declined, since it may have been. Then the next answer needs another person's yes.
   */
  async function noToAnswers(calls: readonly Pick<Thing, 'kind' | 'key'>[]): Promise<string | undefined> {
    const answers = await Promise.all(calls.map(({ kind, key }) => connection.hget(keys.call(kind, key), 'answers')));
    const ids = [...new Set(answers.flatMap((text) => text?.match(/\S+/g) ?? []))];
    const found = await Promise.all(
      ids.map((id) => connection.hmget(keys.approval(id), 'standing', 'turn', 'answeredBy', 'words', 'no')),
    );
    // As in noToAnswer of approvals.lua, these count as declined: declined approvals, archived ones, and void ones that note a refusal.
    const nos = found.filter(
      ([standing, , , , no]) => standing === 'declined' || standing === null || (standing === 'void' && no !== null),
    );
    const last = nos.sort(([, one], [, other]) => Number(one ?? 0) - Number(other ?? 0)).at(-1);
    return last && noWords(last[2], last[3]);
  }

  return {
    noToAnswers,

    /** Whether any person of the account ever declined anything, as far as the ledger counted it: since 26 November 2026. */
    async wasAnyDeclined(): Promise<boolean> {
      return Number(await connection.hget(keys.account, 'noes')) > 0;
    },

    /**
     * Answers the id of the last declined approval, other than this one, that asked for one of the same requests, call answers or
     * suppliers; undefined for none.
     */
    async noElsewhere({ portfolio, id, kind }: Approval, supplier = ''): Promise<string | undefined> {
      let last: { id: string; turn: number } | undefined;
      for (let from = 0; ; from += PAGE) {
        const rows = await connection.zrange(keys.approvalRows(portfolio, id), `${from}`, `${from + PAGE - 1}`);
        const told = { own: id, kind, supplier, rows };
        const [no, turn] = (await lastNo({ portfolio: keys.portfolio(portfolio) }, told)) as string[];
        if (no !== undefined && Number(turn) > (last?.turn ?? -1)) last = { id: no, turn: Number(turn) };
        if (rows.length < PAGE) return last?.id;
      }
    },

    /** Who declined this row's request, and why, as `by NAME: WORDS`. */
    async noTo({ key }: RowId): Promise<string> {
      const id = (await connection.hget(keys.call('limit', key), 'declined')) ?? '';
      const [by, words] = await connection.hmget(keys.approval(id), 'answeredBy', 'words');
      return noWords(by, words);
    },

    /** The rows, out of those given, whose request a person declined and nobody has approved since. */
    async declined(rows: readonly RowId[]): Promise<Set<RowId>> {
      const found = await Promise.all(rows.map(({ key }) => connection.hget(keys.call('limit', key), 'declined')));
      return new Set(rows.filter((_row, place) => found[place] !== null));
    },
  };
}

export function makeApprovalIds({ connection, keys }: LedgerPlace) {
  return {
    /** Approvals that wait for a person, the oldest first. */
    async waitingIds(): Promise<ApprovalId[]> {
      return (await connection.zrange(keys.approvals, '0', '-1')).map(approvalIdOf);
    },

    waitingCount: (): Promise<number> => connection.zcard(keys.approvals),

    /** Approvals that were answered and are not carried out yet. If the process that carries one out dies, another process continues. */
    async answered(): Promise<ApprovalId[]> {
      return (await connection.zrange(keys.approvalsAnswered, '0', '-1')).map(approvalIdOf);
    },

    /** The approvals of a portfolio that are not complete: a process is still adding rows, or was killed. `ageMs`: by Redis' clock. */
    async open(portfolio: string): Promise<(Pick<Approval, 'id' | 'kind'> & { ageMs: number })[]> {
      const ids = await connection.zrange(keys.approvalsOf(portfolio), '0', '-1');
      const found = await Promise.all(
        ids.map((id) => connection.hmget(keys.approval(id), 'standing', 'kind', 'asked')),
      );
      const nowMs = await redisNowMs(connection);
      return found.flatMap(([standing, kind, asked], place) =>
        standing === 'open' ? [{ id: ids[place] ?? '', kind: kind as ApprovalKind, ageMs: nowMs - Number(asked) }] : [],
      );
    },
  };
}
