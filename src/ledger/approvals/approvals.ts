import { randomBytes, randomUUID } from 'node:crypto';
import { isDropActor, isOfSystem, personOf } from '../../actor.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { batcherOf } from '../calls/batches.ts';
import { contentOf, type ImportedFile } from '../portfolios/imports.ts';
import { isPending, type PortfolioSupplier } from '../portfolios/portfolio.ts';
import { makeSuppliers } from '../portfolios/suppliers.ts';
import { storyEntryText } from '../rows/story.ts';
import {
  type AnswerTaken,
  type Approval,
  type ApprovalId,
  type ApprovalKind,
  type ApprovalPolicy,
  approvalIdOf,
  NO_APPROVAL,
  type SupplierInDoubt,
} from '../schema/approval.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';
import { type AtNight, nightArg, nightTold, type PartOfPlan, type RowState } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';
import type { RetryUntilAnswered } from '../schema/until-answered.ts';
import { makeApprovalComparison } from './approval-comparison.ts';
import { makeClosing } from './close-approval.ts';
import { makeApprovalIds, makeDeclined, type ReadApproval, readApproval } from './read-approval.ts';

export type Approvals = ReturnType<typeof makeApprovals>;

/** A person's answer to an approval. `digest`: what the approval contained when the person saw it. `words`: the person's reason. */
export type PersonsAnswer = { id: string; digest: string; by: string; words?: string | undefined };

/** Rows handled at a time: some milliseconds of Redis' time. */
const PAGE = 100;

/** The most approvals in a list. */
const MOST_LISTED = 100;

/**
 * The approvals that another person must give. An approval starts as open, rows join it (rows.put, awaitRow), and it is closed. Then it
 * waits for one answer by another person, which applies to its content at that moment. claim.lua sends nothing for a row whose approval is
 * not granted.
 */
export function makeApprovals({
  connection,
  keys,
  retryUntilAnswered,
  approvalPolicy = async () => NO_APPROVAL,
}: {
  connection: RedisConnection;
  keys: Keys;
  retryUntilAnswered: RetryUntilAnswered;
  /** The current rules for what another person must approve, and who may approve files from the drop folder. */
  approvalPolicy?: () => Promise<ApprovalPolicy>;
}) {
  const script = (name: string) => makeGatedScript(connection, name);
  const [begin, answer] = [script('begin-approval'), script('answer-approval')];
  const runInBatch = batcherOf(connection, keys);
  const suppliers = makeSuppliers({ connection, keys });
  const declined = makeDeclined({ connection, keys });
  const placesOf = ({ portfolio, id }: ApprovalId) => ({
    portfolio: keys.portfolio(portfolio),
    approval: keys.approval(id),
  });

  async function read(id: string): Promise<ReadApproval | undefined> {
    const fields = await connection.hgetall(keys.approval(id));
    const found = readApproval(id, fields);
    const supplier = fields.supplier && found ? await supplierOf(found.approval.portfolio) : undefined;
    if (found && supplier?.body && supplier.key === fields.supplier)
      found.approval.supplier = String(supplier.body.name);
    if (found?.approval.authors.some(isDropActor)) found.approval.approvers = (await approvalPolicy()).inboxApprovers;
    return found;
  }

  async function supplierOf(portfolio: string): Promise<PortfolioSupplier | undefined> {
    const text = await connection.hget(keys.portfolio(portfolio), 'supplier');
    return text === null ? undefined : JSON.parse(text);
  }

  async function start(portfolio: string, kind: ApprovalKind, started: Started): Promise<string> {
    return beginOne({ portfolio, id: randomBytes(9).toString('base64url') }, { kind, ...started });
  }

  async function beginOne(
    { portfolio, id }: ApprovalId,
    { fields = {}, authors, ...of }: Started & { kind?: ApprovalKind },
  ): Promise<string> {
    const people = Object.fromEntries(authors.map((by) => [by.toWellFormed(), personOf(by)]));
    const places = { ...placesOf({ portfolio, id }), all: keys.approvalsOf(portfolio) };
    const told = { id, name: portfolio, ...of, fields: wholeText(fields), authors: wholeText(people) };
    return (await retryUntilAnswered('begin approval', () => begin(places, told))) as string;
  }

  async function take(is: 'granted' | 'declined', { id, digest, by, words = '' }: PersonsAnswer): Promise<AnswerTaken> {
    const ownName = randomUUID();
    for (;;) {
      // The count is read first, so a refusal that comes during the search is noticed. If nobody declined anything since the person looked,
      // the search is skipped.
      const counted = is === 'granted' ? connection.hget(keys.account, 'noes') : '';
      const [noes, found] = await Promise.all([counted, read(id)]);
      if (!found) return 'gone';
      const { portfolio } = found.approval;
      // The person is unknown, so it may be the one who asked.
      if (by === '' || isOfSystem(by)) return 'own';
      // All other conditions are checked by the script. But an answer only counts for what the person saw.
      const isSeen = found.approval.digest === digest;
      const looks = noes !== '' && (noes ?? '0') !== found.noes;
      const no = looks ? ((await declined.noElsewhere(found.approval, found.supplier)) ?? '') : '';
      const said = { answer: is, by, words: words.slice(0, MOST_WORDS), ownName, noes: noes ?? '0', no };
      const told = { id, name: portfolio, moves: isSeen ? found.moves : '', ...said };
      const lists = { waits: keys.approvals, answered: keys.approvalsAnswered, lately: keys.approvalsLately };
      const taken = await retryUntilAnswered('answer', () =>
        answer({ ...placesOf({ portfolio, id }), ...lists }, told),
      );
      if (taken === 'done') return is;
      if (taken !== 'again') return taken as AnswerTaken;
      if (!isSeen) return 'changed';
    }
  }

  async function carriedOut(row: RowId, id: string): Promise<number> {
    return Number(await retryUntilAnswered('carried out', () => runInBatch(row, { move: 'carriedOut', approval: id })));
  }

  async function freeSome({ portfolio, id }: ApprovalId, rows: readonly RowId[]): Promise<number> {
    if (rows.length === 0) return carriedOut({ portfolio, key: '' }, id);
    const free = (row: RowId) =>
      retryUntilAnswered('free approved', () => runInBatch(row, { move: 'free', approval: id }));
    return Math.min(...(await Promise.all(rows.map(free))).map(Number));
  }

  return {
    compare: makeApprovalComparison({ connection, keys }),
    ...makeApprovalIds({ connection, keys }),
    ...declined,

    /** An approval by its id; undefined if there is none. */
    read: async (id: string): Promise<Approval | undefined> => (await read(id))?.approval,

    /**
     * Begins the approval of an import. If an import of the same file and reading died and left an open approval, continues that one.
     * Returns the approval's id, under which the rows are written.
     *
     * @param supplier the key of the supplier in the file; nothing is sent for it before the approval either. If a person declined this
     *   supplier before, the approval waits in any case
     */
    async beginImport(
      portfolio: string,
      {
        file,
        number,
        authors,
        supplier,
      }: {
        file: ImportedFile;
        number: string;
        authors: readonly string[];
        supplier?: string | undefined;
      },
    ): Promise<string> {
      const fields = { fileName: file.fileName, sha256: file.id, reading: file.reading, importId: number };
      return start(portfolio, 'import', { authors, content: contentOf(file), supplier, fields });
    },

    /** Begins an approval for rows to be sent again, or for answers about held calls. Rows join it by `awaitRow`. */
    askFor: async ({ portfolio, kind, by, supplier }: NewApproval): Promise<string> =>
      start(portfolio, kind, {
        authors: [by],
        ...(supplier && { supplier: supplier.key, fields: { supplierMs: `${supplier.atMs}` } }),
      }),

    /** Adds people who asked for a part of the approval, and so may not answer it. Called before their rows join. */
    async addAuthors({ portfolio, id }: ApprovalId, authors: readonly string[]): Promise<void> {
      if (authors.length === 0) return;
      await beginOne({ portfolio, id }, { fields: {}, authors });
    },

    /**
     * Lets a row that ended in this state wait for an open approval. Returns whether it now waits; false if the row is in another state,
     * was replaced, or changed since the plan or `writtenMs`.
     *
     * @param said a person's answer about a held row's call: the id of what was made, or `resend`; `of` is the call, as it was at `asOfMs`
     * @param night the rule that sends the row, with the same conditions as in `rows.requeue`
     */
    async awaitRow(
      row: RowId,
      state: 'refused' | 'cancelled' | 'held',
      { id, by, said = '', of = '', asOfMs, part, writtenMs, night }: Awaiting,
    ): Promise<boolean> {
      const told = storyEntryText({ is: 'asked', by, from: state, ...nightTold(night) });
      const as = { from: state, plan: part?.plan, before: part?.beforeMs, told, night: nightArg(night) };
      const move = { move: 'await', ...as, approval: id, answer: said, of, asOf: asOfMs, written: writtenMs } as const;
      return (await retryUntilAnswered('await', () => runInBatch(row, move))) === 1;
    },

    ...makeClosing({ connection, keys, retryUntilAnswered }),

    /** Approves what the person saw. `freeSome` then lets its rows go, or carries out the answers. */
    grant: (given: PersonsAnswer): Promise<AnswerTaken> => take('granted', given),

    /** Declines the approval: its rows are cancelled, or return to their earlier state. `words` say why. */
    decline: (given: PersonsAnswer): Promise<AnswerTaken> => take('declined', given),

    /** The approvals that wait for a person, oldest first. */
    async waiting(): Promise<Approval[]> {
      return readAll(await connection.zrange(keys.approvals, '0', '-1'));
    },

    /** The approvals that people answered last, latest first, at most `most`; the ledger keeps 100. */
    async lately(most: number): Promise<Approval[]> {
      return readAll(await connection.zrange(keys.approvalsLately, '0', `${most - 1}`, 'REV'));
    },

    /** All approvals that a portfolio ever had, latest first, at most `most`. */
    async of(portfolio: string, most = MOST_LISTED): Promise<Approval[]> {
      const ids = await connection.zrevrange(keys.approvalsOf(portfolio), '0', String(most - 1));
      return readAll(ids.map((id) => `${portfolio}/${id}`));
    },

    /** The rows of an approval that are not carried out yet, in the order of their lines. */
    async rowsOf({ portfolio, id }: ApprovalId, { from = 0, count = PAGE } = {}): Promise<RowId[]> {
      const found = await connection.zrange(keys.approvalRows(portfolio, id), String(from), String(from + count - 1));
      return found.map((key) => ({ portfolio, key }));
    },

    /** Lets these rows of an answered approval go. Returns how many rows are left. Held rows whose answer was granted stay. */
    freeSome,

    /** If the supplier's approval was declined or became void, nothing is sent for the supplier. */
    async giveUpSupplier({ portfolio, id }: ApprovalId): Promise<void> {
      const approval = (await read(id))?.approval;
      const of = await connection.hget(keys.portfolio(portfolio), 'supplierApproval');
      const supplier = await supplierOf(portfolio);
      if (of !== id || !supplier || approval?.standing === 'granted' || !isPending(supplier)) return;
      const { key = '', ...named } = supplier;
      await suppliers.endSupplier(portfolio, { ...named, key, problem: declinedWords(approval) }, id);
    },

    /**
     * Makes a held row whose answer was granted held again, so that the answer can be carried out. Returns its state and the answer, also
     * if called again; undefined if the row no longer belongs to the approval.
     */
    async restore(row: RowId, id: string): Promise<{ state: RowState; said: string } | undefined> {
      const again = () => runInBatch(row, { move: 'holdAgain', approval: id });
      const [state, said = ''] = (await retryUntilAnswered('restore', again)) as string[];
      return state === undefined ? undefined : { state: state as RowState, said };
    },

    /** Lets a row go on after the answer about its held call was recorded. Returns whether it goes on; false if it no longer waits. */
    async goAnswered(row: RowId, id: string): Promise<boolean> {
      const goes = () => runInBatch(row, { move: 'goAnswered', approval: id });
      return (await retryUntilAnswered('go answered', goes)) === 1;
    },

    /** Marks a row's approval as carried out. Returns how many rows are left of the approval. */
    carriedOut,
  };

  async function readAll(names: readonly string[]): Promise<Approval[]> {
    const found = await Promise.all(names.map((name) => read(approvalIdOf(name).id)));
    return found.flatMap((one) => (one ? [one.approval] : []));
  }
}

type NewApproval = { portfolio: string; kind: 'retry' | 'answer'; by: string; supplier?: SupplierInDoubt | undefined };

/** The start of an approval: who asked, and for an import its file. */
type Started = {
  authors: readonly string[];
  content?: string;
  supplier?: string | undefined;
  fields?: Readonly<Record<string, string>>;
};

/** How a row joins an approval: which one, who asks, and what is known of the row. */
type Awaiting = {
  id: string;
  by: string;
  said?: string | undefined;
  of?: string | undefined;
  asOfMs?: number | undefined;
  part?: PartOfPlan | undefined;
  writtenMs?: number | undefined;
  night?: AtNight | undefined;
};

/** The longest reason, which is kept with each declined row. */
const MOST_WORDS = 500;

/** Why nothing was sent for a supplier. */
function declinedWords(approval: Approval | undefined): string {
  const { by = '', words = '' } = approval?.answered ?? {};
  if (by === '') return 'not approved';
  return words === '' ? `declined by ${by}` : `declined by ${by}: ${words}`;
}

/** As JSON for Lua. An unpaired surrogate would reach Redis as U+FFFD in any case. */
function wholeText(fields: Readonly<Record<string, string>>): string {
  return JSON.stringify(fields, (_name, value) => (typeof value === 'string' ? value.toWellFormed() : value));
}
