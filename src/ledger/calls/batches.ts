import { createHash } from 'node:crypto';
import { messageOf } from '../../errors.ts';
import { endMisfit, makeLuaScript, type RedisConnection, scriptText } from '../../lua-script.ts';
import { faultIn } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';
import { type MoveCall, type MoveName, moveArgs, type RowId } from '../schema/schema.ts';

/**
 * Takes a row through moves of one script, one behind the other: what lua/items.lua says of it. Rejects where Redis did not answer;
 * whether it was done is not known then; and with `USAGE` what people would do with rows of an archived portfolio.
 */
export type Batcher = (row: RowId, ...moves: readonly MoveCall[]) => Promise<unknown>;

/** How a row is to go on once its call was made; undefined where it stays at its step. */
export type Moving = Extract<MoveCall, { move: 'advance' }> | undefined;

/** What a row asks for, and who waits for the answer. */
type Asked = {
  row: RowId;
  moves: readonly MoveCall[];
  resolve: (answer: unknown) => void;
  reject: (reason: unknown) => void;
};

/** A batch by the script at `url`, of which one serves so many rows at the most: Redis serves nobody else meanwhile. */
type Script = { url: URL; mostAtOnce: number };

/** What workers do: some 20 µs a row. */
export const BATCH: Script = { url: new URL('../lua/batch.lua', import.meta.url), mostAtOnce: 100 };
const OFTEN: ReadonlySet<MoveName | undefined> = new Set(['begin', 'claim', 'settle', 'release', 'doubt', 'advance']);

/** What people do with rows looks at more. */
const ACTS: Script = { url: new URL('../lua/acts.lua', import.meta.url), mostAtOnce: 20 };

const KNOWN = new WeakMap<RedisConnection, Map<string, Batcher>>();

/** The batcher of one account over one connection: the same for all who ask for it. */
export function batcherOf(connection: RedisConnection, { account }: Pick<Keys, 'account'>): Batcher {
  const known = KNOWN.get(connection) ?? new Map<string, Batcher>();
  KNOWN.set(connection, known);
  const by = ({ url, mostAtOnce }: Script): Batcher => {
    const run = makeLuaScript(connection, url);
    return makeBatcher((args) => run([account], args) as Promise<unknown[]>, mostAtOnce);
  };
  const make = (often = by(BATCH), acts = by(ACTS)): Batcher => {
    return (row, ...moves) => (OFTEN.has(moves[0]?.move) ? often : acts)(row, ...moves);
  };
  const runInBatch = known.get(account) ?? make();
  known.set(account, runInBatch);
  return runInBatch;
}

/**
 * Takes what the rows of this process ask of the ledger to Redis, all of a moment in one script (lua/items.lua, by `run`): while a batch is
 * under way the next ones gather. An item may be repeated. What somebody damaged in one portfolio rejects the items that move that
 * portfolio's rows, and no others.
 */
export function makeBatcher(run: (args: (string | number)[]) => Promise<unknown[]>, mostAtOnce: number): Batcher {
  let gathered: Asked[] = [];
  let isUnderWay = false;

  const take = async (batch: readonly Asked[]): Promise<void> => {
    try {
      const answers = await run(batch.flatMap(({ row, moves }) => moveArgs(row, moves)));
      batch.forEach(({ resolve, reject }, place) => {
        const answer = answers[place];
        if (answer instanceof Error) reject(faultIn(answer) ?? answer);
        else resolve(answer);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const takeAll = async (): Promise<void> => {
    while (gathered.length > 0) {
      const batch = gathered.slice(0, mostAtOnce);
      gathered = gathered.slice(mostAtOnce);
      await take(batch);
    }
    isUnderWay = false;
  };

  return (row, ...moves) =>
    new Promise((resolve, reject) => {
      gathered.push({ row, moves, resolve, reject });
      if (isUnderWay) return;
      isUnderWay = true;
      // Requests of the same turn of the event loop join this batch.
      setImmediate(takeAll);
    });
}

/** What claims need to know of Redis' replicas. */
export type Replicas = {
  /** On so many a claim must be before anything is sent; 0 where there is none to ask. */
  expected: () => number | Promise<number>;
  /** A connection for claims alone, which sends nothing again by itself. */
  connect: () => RedisConnection;
};

/**
 * Batches of claims, with one further answer of a claim: { "unconfirmed", replicas that have it, replicas that should }. The claim then
 * stands where it was written and perhaps nowhere else; nothing may be sent, and it is to be given back. A replica that is
 * promoted without a claim would let the same thing be made again.
 *
 * The claims of a moment go together with one WAIT behind them. It blocks its connection, so they have one of their own, and
 * the next claims gather meanwhile. It counts writes of its own connection alone, so every "go" has to be one; the
 * repeated one of the same owner too.
 */
export function makeConfirmedBatcher(
  connection: RedisConnection,
  account: string,
  wanted: Replicas['expected'],
): Batcher {
  const lua = scriptText(BATCH.url);
  const sha = createHash('sha1').update(lua).digest('hex');
  return makeBatcher(async (args) => {
    const count = await wanted();
    // One write to one server, in this order. A server that lacks the script would be given it behind the WAIT.
    const pipeline = connection
      .pipeline()
      .script('LOAD', lua)
      .evalsha(sha, 1, account, ...args);
    pipeline.wait(count, CONFIRM_WITHIN_MS);
    const [, [error, answers] = [NONE], [waitError, confirmed] = [NONE]] = (await pipeline.exec()) ?? [];
    // A pipeline that was sent to the wrong node of a cluster does not look for the right one by itself.
    if ((error || waitError) && 'refreshSlotsCache' in connection) connection.refreshSlotsCache();
    if (error) return endMisfit(error);
    return (answers as unknown[]).map((answer) => {
      if (!mayBeSent(answer)) return answer;
      // Not what Redis said, since a primary that is no more says ERR: to ask again is right, wherever it leads.
      if (waitError) return new Error(`the replicas could not be asked (${messageOf(waitError)})`);
      return Number(confirmed) < count ? ['unconfirmed', Number(confirmed), count] : answer;
    });
  }, BATCH.mostAtOnce);
}

const NONE = new Error('no answer');

/** Replicas that follow answer within milliseconds; the row and its slot wait for those that do not. */
export const CONFIRM_WITHIN_MS = 1_000;

function mayBeSent(answer: unknown): boolean {
  return Array.isArray(answer) && answer[0] === 'go';
}
