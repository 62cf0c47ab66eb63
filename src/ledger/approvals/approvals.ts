import { randomBytes, randomUUID } from 'node:crypto';
import { actorsOf, isDropActor, isOfSystem, personOf } from '../../actor.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { batcherOf } from '../calls/batches.ts';
import { contentOf, type ImportedFile } from '../portfolios/imports.ts';
import { isPending, makeSuppliers, type PortfolioSupplier } from '../portfolios/portfolio.ts';
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
import { type AtNight, nightArg, nightFields, type PartOfPlan, type RowState } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';
import type { RetryUntilAnswered } from '../schema/until-answered.ts';
import { makeApprovalComparison } from './approval-comparison.ts';
import { makeClosing } from './close-approval.ts';
import { makeApprovalIds, makeDeclined, nameSuppliers, type ReadApproval, readApproval } from './read-approval.ts';

export type Approvals = ReturnType<typeof makeApprovals>;

/** A person's answer to an approval: who answers (`by`), the comment (`words`), and the `digest` of the approval that the person saw. */
type PersonsAnswer = { id: string; digest: string; by: string; words?: string | undefined };

/** The number of an approval's rows that are read at a time, which takes Redis some milliseconds. */
const PAGE = 100;

/** The most approvals of a portfolio that are listed. */
const MOST_LISTED = 100;

/**
 * The approvals of the ledger. An approval begins open, rows join it (rows.put, awaitRow), and then it is closed. A closed approval waits
 * for one answer by a person who asked for no part of it, and the answer counts only if the approval is still as that person saw it.
 * claim.lua sends nothing for a row whose approval is not granted.
 */
export function makeApprovals(options: {
  connection: RedisConnection;
  keys: Keys;
  retryUntilAnswered: RetryUntilAnswered;
  /** The present rule: when approval is needed, and who may approve dropped files. */
  approvalPolicy?: () => Promise<ApprovalPolicy>;
}) {
  const { connection, keys, retryUntilAnswered, approvalPolicy = async () => NO_APPROVAL } = options;
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
    if (found) await nameSuppliers(found, fields.named, { connection, keys });
    if (found?.approval.authors.some(isDropActor)) found.approval.approvers = (await approvalPolicy()).inboxApprovers;
    return found;
  }

  async function start(portfolio: string, kind: ApprovalKind, started: Started): Promise<string> {
    return beginOne({ portfolio, id: randomBytes(9).toString('base64url') }, { kind, ...started });
  }

  async function beginOne(
    { portfolio, id }: ApprovalId,
    { fields = {}, authors, ...of }: Started & { kind?: ApprovalKind },
  ): Promise<string> {
    const people = Object.fromEntries(authors.flatMap(actorsOf).map((by) => [by.toWellFormed(), personOf(by)]));
    const places = { ...placesOf({ portfolio, id }), all: keys.approvalsOf(portfolio) };
    const told = { id, name: portfolio, ...of, fields: wholeText(fields), authors: wholeText(people) };
    return (await retryUntilAnswered('begin approval', () => begin(places, told))) as string;
  }

  async function take(is: 'granted' | 'declined', { id, digest, by, words = '' }: PersonsAnswer): Promise<AnswerTaken> {
    const ownName = randomUUID();
    for (;;) {
      // The account's count of declined approvals is read before declined approvals are searched, so that the script notices an approval
      // that is declined in between. If the count has not grown since the last search, the search is left out.
      const counted = is === 'granted' ? connection.hget(keys.account, 'noes') : '';
      const [noes, found] = await Promise.all([counted, read(id)]);
      if (!found) return 'gone';
      const { portfolio } = found.approval;
      // An unknown person could be an author, and so may not answer.
      if (by === '' || isOfSystem(by)) return 'own';
      // If the approval is no longer as the person saw it, the script names any other obstacle first. Without one the answer is `changed`.
      const isSeen = found.approval.digest === digest;
      const looks = noes !== '' && (noes ?? '0') !== found.noes;
      const no = looks ? ((await declined.noElsewhere(found.approval, found.supplier)) ?? '') : '';
      const said = { answer: is, by, words: words.slice(0, MOST_WORDS), ownName, noes: noes ?? '0', no };
      const told = { id, name: portfolio, moves: isSeen ? found.moves : '', displaced: found.displaced, ...said };
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

    read: async (id: string): Promise<Approval | undefined> => (await read(id))?.approval,

    /**
     * Begins the approval of an import. If an earlier import of the same file, reading and supplier died, its open approval is continued.
     * Answers the approval's id, which `rows.put` needs for each row of the import.
     *
     * @param supplier key of the supplier that the import names; nothing is sent for it before the yes either. If a person declined this
     *   supplier before, the approval waits in any case
     * @param named all that is said of the supplier, as text: the key does not name the whole address
     */
    async beginImport(
      portfolio: string,
      { file, number, authors, supplier, named = '' }: BegunImport,
    ): Promise<string> {
      const fields = { fileName: file.fileName, sha256: file.id, reading: file.reading, importId: number };
      const content = contentOf({ id: file.id, reading: file.reading + named });
      return start(portfolio, 'import', { authors, content, supplier, fields: named ? { ...fields, named } : fields });
    },

    /** Begins an approval for rows to be sent again, or for answers to held calls. Rows join it by `awaitRow`. */
    askFor: async ({ portfolio, kind, by, because, supplier }: NewApproval): Promise<string> =>
      start(portfolio, kind, {
        authors: [by],
        supplier: supplier?.key,
        fields: { ...(because && { because }), ...(supplier && { supplierMs: `${supplier.atMs}` }) },
      }),

    /** Adds people who asked for a part of an approval, and so may not answer it, before their rows join. */
    async addAuthors({ portfolio, id }: ApprovalId, authors: readonly string[]): Promise<void> {
      if (authors.length === 0) return;
      await beginOne({ portfolio, id }, { fields: {}, authors });
    },

    /**
     * Lets an ended row wait for an open approval. Answers whether it does: not if it is in another state by now, was replaced, or changed
     * since the plan or since `writtenMs`.
     *
     * @param said a person's answer to a held row's call: the id of what was made, or `resend`; `of` names the call, as it was at `asOfMs`
     * @param night the rule by which it would go, with the same conditions as in `rows.requeue`
     */
    async awaitRow(
      row: RowId,
      state: 'refused' | 'cancelled' | 'held',
      { id, by, said = '', of = '', asOfMs, part, writtenMs, night }: Awaiting,
    ): Promise<boolean> {
      const told = storyEntryText({ is: 'asked', by, from: state, ...nightFields(night) });
      const as = { from: state, plan: part?.plan, before: part?.beforeMs, told, night: nightArg(night) };
      const move = { move: 'await', ...as, approval: id, answer: said, of, asOf: asOfMs, written: writtenMs } as const;
      return (await retryUntilAnswered('await', () => runInBatch(row, move))) === 1;
    },

    ...makeClosing({ connection, keys, retryUntilAnswered }),

    /**
     * Approves what an approval asks for, as the person saw it. Its rows go on with the next `freeSome`; answers to held calls can be
     * carried out from now on.
     */
    grant: (given: PersonsAnswer): Promise<AnswerTaken> => take('granted', given),

    /** Declines what an approval asks for: its rows are given up, or get their earlier state back. `words` say why. */
    decline: (given: PersonsAnswer): Promise<AnswerTaken> => take('declined', given),

    async waiting(): Promise<Approval[]> {
      return readAll(await connection.zrange(keys.approvals, '0', '-1'));
    },

    /** Approvals that people answered last, the latest first; the last 100 are kept. */
    async lately(most: number): Promise<Approval[]> {
      return readAll(await connection.zrange(keys.approvalsLately, '0', `${most - 1}`, 'REV'));
    },

    /** Approvals ever asked for in a portfolio, the latest first. */
    async of(portfolio: string, most = MOST_LISTED): Promise<Approval[]> {
      const ids = await connection.zrevrange(keys.approvalsOf(portfolio), '0', String(most - 1));
      return readAll(ids.map((id) => `${portfolio}/${id}`));
    },

    /** Rows of an approval whose answer is not carried out for them yet, in the order of lines. */
    async rowsOf({ portfolio, id }: ApprovalId, { from = 0, count = PAGE } = {}): Promise<RowId[]> {
      const found = await connection.zrange(keys.approvalRows(portfolio, id), String(from), String(from + count - 1));
      return found.map((key) => ({ portfolio, key }));
    },

    /**
     * Carries out an answered approval for the given rows: each goes on, is cancelled, or gets its earlier state back. Answers how many
     * rows of the approval are left. Rows with a granted answer to a held call stay.
     */
    freeSome,

    /** Gives up the portfolio's supplier if its approval was declined or is void. */
    async giveUpSupplier({ portfolio, id }: ApprovalId): Promise<void> {
      const approval = (await read(id))?.approval;
      const [of, text] = await connection.hmget(keys.portfolio(portfolio), 'supplierApproval', 'supplier');
      if (of !== id || !text || approval?.standing === 'granted') return;
      const supplier: PortfolioSupplier = JSON.parse(text);
      if (supplier.body && !isPending(supplier)) return;
      const { key = '', id: _id, ...named } = supplier;
      await suppliers.endSupplier(portfolio, { ...named, key, problem: declinedWords(approval) }, id);
    },

    /**
     * Puts a row back to held once its answer is approved, so that the answer can be carried out. This may be done twice. Answers the row's
     * state and the person's answer; undefined if the row no longer belongs to the approval.
     */
    async restore(row: RowId, id: string): Promise<{ state: RowState; said: string } | undefined> {
      const again = () => runInBatch(row, { move: 'holdAgain', approval: id });
      const [state, said = ''] = (await retryUntilAnswered('restore', again)) as string[];
      return state === undefined ? undefined : { state: state as RowState, said };
    },

    /** Lets a row go on after the answer to its held call was written. Answers whether it does: not if it no longer waits. */
    async goAnswered(row: RowId, id: string): Promise<boolean> {
      const goes = () => runInBatch(row, { move: 'goAnswered', approval: id });
      return (await retryUntilAnswered('go answered', goes)) === 1;
    },

    /** Notes that what was approved of a row is carried out. Answers how many rows of the approval are left. */
    carriedOut,
  };

  async function readAll(names: readonly string[]): Promise<Approval[]> {
    const found = await Promise.all(names.map((name) => read(approvalIdOf(name).id)));
    return found.flatMap((one) => (one ? [one.approval] : []));
  }
}

type BegunImport = {
  file: ImportedFile;
  number: string;
  authors: readonly string[];
  supplier?: string | undefined;
  named?: string;
};

type NewApproval = Pick<Approval, 'portfolio' | 'because'> & AskedAgain;
type AskedAgain = { kind: 'retry' | 'answer'; by: string; supplier?: SupplierInDoubt | undefined };

/** Initial fields of an approval: its authors, and the file of an import. */
type Started = {
  authors: readonly string[];
  content?: string;
  supplier?: string | undefined;
  fields?: Readonly<Record<string, string>>;
};

/** The approval that a row waits for, who asks, and what is known of the row. */
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

/** Most characters of a comment; each declined row keeps it. */
const MOST_WORDS = 500;

/** Why a supplier was not requested. */
function declinedWords(approval: Approval | undefined): string {
  const { by = '', words = '' } = approval?.answered ?? {};
  if (by === '') return 'not approved';
  return words === '' ? `declined by ${by}` : `declined by ${by}: ${words}`;
}

/** Fields as JSON for Lua. Half a surrogate pair becomes U+FFFD, as it would in Redis in any case. */
function wholeText(fields: Readonly<Record<string, string>>): string {
  return JSON.stringify(fields, (_name, value) => (typeof value === 'string' ? value.toWellFormed() : value));
}
