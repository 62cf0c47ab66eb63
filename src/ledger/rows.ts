import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import type { CallRecord } from '../outcome.ts';
import { makeBuyerRows } from './buyer-rows.ts';
import { digestOf, readPair, type Thing } from './calls.ts';
import { makeImportRows } from './import-rows.ts';
import type { Keys } from './keys.ts';
import type { Persist } from './persist.ts';
import { VANISHED_AFTER_MS } from './presence.ts';
import { type RowId, rowName } from './row-id.ts';

/** What a row goes through, in this order. */
export const STEPS = ['company', 'documents', 'limit'] as const;
export type Step = (typeof STEPS)[number];

export const ROW_STATES = ['queued', ...STEPS, 'done', 'refused', 'held', 'skipped', 'cancelled'] as const;
export type RowState = (typeof ROW_STATES)[number];

/** The states in which something is still to be done for a row. */
export const OPEN_STATES = ['queued', ...STEPS] as const satisfies readonly RowState[];

/** A document as the row names it; its content is in the data folder under its digest. */
export type RowDocument = { name: string; mediaType: string; sizeBytes: number; sha256: string };

/** What a line asked for, as it is kept for the steps. Amounts are decimal text. */
export type RowRequest = {
  name: string;
  buyer: string;
  /** The company call's body; left out where the line gave the company's id. */
  company?: Record<string, unknown>;
  companyId?: string;
  documents: RowDocument[];
  limit: Record<string, unknown> & { requested_limit: string };
};

/**
 * Why a row is where it is, for people: the step, the sentence, and what the service said, as it came. Of a call whose
 * outcome is unknown also what was sent.
 */
export type RowProblem = { step: Step; message: string; status?: number; body?: string; sent?: string };

/** What a worker finds when it takes up a row. `revision` names the words that it found. */
export type RowAtStep = {
  state: RowState;
  revision: string;
  request: RowRequest;
  companyId: string;
  documentIds: string[];
  problem: RowProblem | undefined;
};

/**
 * What an import did with a line's row: `open` rows need a job, `settled` ones do not, and a `changed` one was sent with
 * other words, which it keeps. `other` and `again` say that nothing was done: the name is that of another buyer's request, which was
 * not sent; or see {@link Replacing}.
 */
export type PutAnswer = 'added' | 'renewed' | 'open' | 'settled' | 'changed' | 'other' | 'again';

/**
 * Which row a line replaces, and what somebody has seen of its buyer before deciding so: how many requests there were. Where
 * that is no longer so, the line is not brought in, and `again` is the answer. `takes` is another buyer, whose unsent request
 * of the same name the line is meant to correct.
 */
export type Replacing = { seen?: number; key?: string; problem?: RowProblem; takes?: string | undefined };

/** What became of giving up a row: done, not needed, or not yet, since its call is under way, or was when its sender vanished. */
export type CancelAnswer = 'cancelled' | 'nothing' | 'under way' | 'left';

/** A row in the index of its state. */
export type IndexedRow = { row: RowId; line: number; step: Step };

/** What a step writes into the row it moves on. */
export type RowFields = {
  company?: string;
  documents?: string[];
  limit?: string;
  record?: CallRecord;
  problem?: RowProblem;
  /** Whether the service itself answered at this step, and not the ledger for it: what the canary listens to. */
  answered?: boolean;
};

/** What became of a row so far: what a results file shows. */
export type RowResult = {
  state: RowState;
  step: Step;
  line: number;
  /** The number of the import that the line is of: the last one that had the row. */
  importId: string;
  /** Whether another row stands in its place, or a file that replaces the others lacks its line. */
  replaced: boolean;
  request: RowRequest;
  companyId: string;
  documentIds: string[];
  limitId: string;
  record: CallRecord;
  problem: RowProblem | undefined;
  /** What was made twice for it: the id that it goes by, and the other. */
  again: { id: string; again: string } | undefined;
  updatedMs: number;
};

export type Rows = ReturnType<typeof makeRows>;

/** The rows of all portfolios. Every change of state and of the counts behind it is one step in Redis. */
export function makeRows({
  connection,
  keys,
  persist,
  canaryRefusals,
}: {
  connection: RedisConnection;
  keys: Keys;
  persist: Persist;
  /** So many first answers of a step refused alike pause the portfolio; 0 for never. */
  canaryRefusals: number;
}) {
  const script = (name: string) => makeLuaScript(connection, new URL(`./lua/${name}.lua`, import.meta.url));
  const [put, begin, advance] = [script('put-row'), script('begin'), script('advance')];
  const [waitingRows, rowsBehind] = [script('waiting-rows'), script('rows-behind')];
  const [requeue, cancel] = [script('requeue'), script('cancel-row')];
  const keysOf = (row: RowId) => [keys.portfolio(row.portfolio), keys.row(row.portfolio, row.key)];

  return {
    ...makeBuyerRows({ connection, keys }),
    ...makeImportRows({ connection, keys, states: ROW_STATES }),

    /** Brings a line into the ledger; see put-row.lua for what happens to a row that is already there. */
    async put(
      row: RowId,
      line: number,
      importId: string,
      request: RowRequest,
      generation: number | '' = '',
      { seen, key: old, problem, takes }: Replacing = {},
    ): Promise<PutAnswer> {
      const words = [
        ...[row.key, line, importId, JSON.stringify(request), stepAfter(request), digestOf(askedOf(request))],
        ...[generation, rowName(row), request.limit.requested_limit],
        ...[seen ?? '', old ?? '', problem === undefined ? '' : JSON.stringify(problem), takes ?? ''],
      ];
      const ofOld = { portfolio: row.portfolio, key: old ?? row.key };
      const rowKeys = [...keysOf(row), keys.call('limit', row.key), keys.buyerRows(request.buyer)];
      const oldKeys = [keys.row(ofOld.portfolio, ofOld.key), keys.call('limit', ofOld.key)];
      return (await put([...rowKeys, ...oldKeys], words)) as PutAnswer;
    },

    /**
     * Rows of one state, in the order of their lines, from a line on: a place that stays one while others move rows. Rows of
     * several imports may share a line.
     */
    async behind(portfolio: string, state: RowState, { line, count }: { line: number; count: number }) {
      const sets = [keys.rowsInState(portfolio, state), keys.row(portfolio, '')];
      const words = (await rowsBehind(sets, [line, count])) as string[];
      const rows: IndexedRow[] = [];
      for (let place = 0; place < words.length; place += 3) {
        const [key = '', at, step] = words.slice(place, place + 3);
        rows.push({ row: { portfolio, key }, line: Number(at), step: step as Step });
      }
      return rows;
    },

    /** Whether the row is counted in that state. */
    async isIn(row: RowId, state: RowState): Promise<boolean> {
      return (await connection.zscore(keys.rowsInState(row.portfolio, state), row.key)) !== null;
    },

    /** Rows of one state, in the order of their lines, each with the step that it is at or begins with. */
    async inState(portfolio: string, state: RowState, { from = 0, count }: { from?: number; count: number }) {
      const sets = [keys.rowsInState(portfolio, state), keys.row(portfolio, '')];
      const words = (await waitingRows(sets, [from, count])) as string[];
      const rows: { row: RowId; step: Step }[] = [];
      for (let place = 0; place < words.length; place += 2) {
        rows.push({ row: { portfolio, key: words[place] ?? '' }, step: words[place + 1] as Step });
      }
      return rows;
    },

    /** What became of each of these rows, in their order; nothing for one that the ledger does not know. */
    async read(rows: readonly RowId[]): Promise<(RowResult | undefined)[]> {
      return Promise.all(rows.map(async (row) => toResult(await connection.hgetall(keys.row(row.portfolio, row.key)))));
    },

    /** Takes a row up at a step. Answers nothing when the ledger knows no such row. */
    async begin(row: RowId, step: Step): Promise<RowAtStep | undefined> {
      const found = (await persist('begin', () =>
        begin([...keysOf(row), keys.call('limit', row.key)], [row.key, step]),
      )) as string[];
      const [state, request, companyId = '', documents, problem, revision = ''] = found;
      if (!state || !request) return undefined;
      return {
        state: state as RowState,
        revision,
        request: JSON.parse(request),
        companyId,
        documentIds: documents ? documents.split('|') : [],
        problem: problem ? JSON.parse(problem) : undefined,
      };
    },

    /**
     * Moves a row from the state in which the worker saw it to another, with what the step brought.
     * Answers the state that it is in now, which is another when somebody else moved it meanwhile, or gave it other words
     * than those of `revision`.
     */
    async advance(
      row: RowId,
      from: RowState,
      to: RowState,
      { revision = '', ...fields }: RowFields & { revision?: string } = {},
    ): Promise<RowState | ''> {
      const status = to === 'done' ? (fields.record?.status ?? '') : '';
      const words = [
        row.key,
        from,
        to,
        revision,
        status,
        ...canaryWords(from, fields, canaryRefusals),
        ...fieldWords(fields),
      ];
      return (await persist('advance', () => advance([...keysOf(row), keys.call('limit', row.key)], words))) as
        | RowState
        | '';
    },

    /**
     * Lets a row that ended in this state go again, from the step at which it ended. Answers whether it did.
     *
     * @param meant whether a person means this very row: then it passes a giving up of its portfolio
     */
    async requeue(row: RowId, state: 'refused' | 'cancelled' | 'held', meant = true): Promise<boolean> {
      return (await requeue(keysOf(row), [row.key, state, meant ? 1 : 0])) === 1;
    },

    /** Gives up a row of a portfolio that was given up, unless one of its step's calls is under way. */
    async cancel(row: RowId, calls: readonly Pick<Thing, 'kind' | 'key'>[] = []): Promise<CancelAnswer> {
      const callKeys = [keys.call('limit', row.key), ...calls.map(({ kind, key }) => keys.call(kind, key))];
      const words = [row.key, rowName(row), VANISHED_AFTER_MS];
      return (await cancel([...keysOf(row), keys.workers, ...callKeys], words)) as CancelAnswer;
    },
  };
}

/** What a line asks of the service for its buyer: what may not change once it was sent. */
export function askedOf({ buyer, limit }: RowRequest): string {
  return JSON.stringify([buyer, limit]);
}

/** The step at which a row begins: one with nothing to do is passed over. */
export function stepAfter(request: RowRequest, step?: Step): Step {
  if (step === undefined && request.companyId === undefined) return 'company';
  if ((step === undefined || step === 'company') && request.documents.length > 0) return 'documents';
  return 'limit';
}

function toResult(fields: Record<string, string>): RowResult | undefined {
  if (!fields.state || !fields.request) return undefined;
  return {
    state: fields.state as RowState,
    step: (fields.step ?? 'company') as Step,
    line: Number(fields.line),
    importId: fields.import ?? '',
    replaced: fields.replaced !== undefined,
    request: JSON.parse(fields.request),
    companyId: fields.company ?? '',
    documentIds: fields.documents ? fields.documents.split('|') : [],
    limitId: fields.limit ?? '',
    record: fields.record ? JSON.parse(fields.record) : {},
    problem: fields.problem ? JSON.parse(fields.problem) : undefined,
    again: fields.again ? readPair(fields.again) : undefined,
    updatedMs: Number(fields.updated),
  };
}

/** What a portfolio that pauses itself says of it; the service's own words are cut to a line. */
function canaryWords(step: RowState, { answered, problem }: RowFields, refusals: number): (string | number)[] {
  if (!answered) return ['', refusals, ''];
  if (problem?.status === undefined) return ['ok', refusals, ''];
  const body = problem.body ? `: ${problem.body.slice(0, 200)}` : '';
  // What the message adds to the status is what a person can do about it.
  const [, advice = ''] = problem.message.split(`status ${problem.status}`);
  const why = `the first ${refusals} answers at the step ${step} were all refused with status ${problem.status}${advice}${body}`;
  return [String(problem.status), refusals, why];
}

function fieldWords({ company, documents, limit, record, problem }: RowFields): string[] {
  const words: string[] = [];
  if (company !== undefined) words.push('company', company);
  if (documents !== undefined) words.push('documents', documents.join('|'));
  if (limit !== undefined) words.push('limit', limit);
  if (record !== undefined) words.push('record', JSON.stringify(record));
  if (problem !== undefined) words.push('problem', JSON.stringify(problem));
  return words;
}
