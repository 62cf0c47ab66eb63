import { createHash } from 'node:crypto';
import { messageOf } from '../../errors.ts';
import { endMisfit, makeLuaScript, type RedisConnection, scriptText } from '../../lua-script.ts';
import { faultIn } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';
import { type MoveCall, type MoveName, moveArgs, type RowId } from '../schema/schema.ts';

/**
 * Runs moves of a row in one script, in order (lua/items.lua). Rejects if Redis did not answer: then it is unknown whether they were done.
 * Rejects with `USAGE` for a person's action on a row of an archived portfolio.
 */
export type Batcher = (row: RowId, ...moves: readonly MoveCall[]) => Promise<unknown>;

/** The row's move after its call was made; undefined if it stays at its step. */
export type Moving = Extract<MoveCall, { move: 'advance' }> | undefined;

type Asked = { row: RowId; moves: readonly MoveCall[] };

/** The script of a batch, and its maximum number of rows: Redis serves nobody else while it runs. */
type Script = { url: URL; mostAtOnce: number; mostUnderWay?: number };

/** The script of workers' moves; each row takes Redis some 20 µs. */
const BATCH: Script = { url: new URL('../lua/batch.lua', import.meta.url), mostAtOnce: 100 };
const OFTEN: ReadonlySet<MoveName | undefined> = new Set(['begin', 'claim', 'settle', 'release', 'doubt', 'advance']);

/** The script of people's actions. Each row needs more reads than a worker's move, so a batch has fewer rows. */
const ACTS: Script = { url: new URL('../lua/acts.lua', import.meta.url), mostAtOnce: 20 };

/** The script by which rows take over later decisions of the service. Each row takes Redis some 200 µs, and a file brings many at once. */
const FOLLOWS: Script = { ...ACTS, mostAtOnce: 50, mostUnderWay: 2 };

const KNOWN = new WeakMap<RedisConnection, Map<string, Batcher>>();

/** The batcher of one account over one connection; all callers share it. */
export function batcherOf(connection: RedisConnection, { account }: Pick<Keys, 'account'>): Batcher {
  const known = KNOWN.get(connection) ?? new Map<string, Batcher>();
  KNOWN.set(connection, known);
  const by = ({ url, mostAtOnce, mostUnderWay }: Script): Batcher => {
    const run = makeLuaScript(connection, url);
    return makeBatcher((args) => run([account], args) as Promise<unknown[]>, mostAtOnce, mostUnderWay);
  };
  const make = (): Batcher => {
    const [often, acts, follows] = [by(BATCH), by(ACTS), by(FOLLOWS)];
    const batcher = (move: MoveName | undefined) => (move === 'follow' ? follows : OFTEN.has(move) ? often : acts);
    return (row, ...moves) => batcher(moves[0]?.move)(row, ...moves);
  };
  const runInBatch = known.get(account) ?? make();
  known.set(account, runInBatch);
  return runInBatch;
}

/**
 * Sends moves of this process's rows to Redis in batches, one script each (lua/items.lua, by `run`). Items may be repeated. A portfolio
 * with damaged data rejects only the items that move its own rows.
 */
export function makeBatcher(
  run: (args: (string | number)[]) => Promise<unknown[]>,
  mostAtOnce: number,
  mostUnderWay?: number,
): Batcher {
  const take = makeGathered(
    (batch: readonly Asked[]) => run(batch.flatMap(({ row, moves }) => moveArgs(row, moves))),
    mostAtOnce,
    mostUnderWay,
  );
  return (row, ...moves) => take({ row, moves });
}

/**
 * Runs single items in batches. While batches are under way, the next one gathers.
 *
 * @param run gets the items of a batch, and answers one value for each: an `Error` for an item that failed alone
 * @param mostAtOnce the most items of a batch
 * @param mostUnderWay how many batches may be under way at once, if they are full
 */
export function makeGathered<Item, Answer>(
  run: (items: readonly Item[]) => Promise<readonly Answer[]>,
  mostAtOnce: number,
  mostUnderWay = 1,
): (item: Item) => Promise<Answer> {
  let gathered: (PromiseWithResolvers<Answer> & { item: Item })[] = [];
  let underWay = 0;

  const take = async (batch: typeof gathered): Promise<void> => {
    try {
      const answers = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, place) => {
        const answer = answers[place];
        if (answer instanceof Error) reject(faultIn(answer) ?? answer);
        else resolve(answer as Answer);
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
    underWay -= 1;
  };

  return (item) => {
    const asked = { ...Promise.withResolvers<Answer>(), item };
    gathered.push(asked);
    if (underWay < mostUnderWay && (underWay === 0 || gathered.length >= mostAtOnce)) {
      underWay += 1;
      // Items that are added in the same turn of the event loop join this batch.
      setImmediate(takeAll);
    }
    return asked.promise;
  };
}

/** The replicas of Redis that must confirm claims: how many, and over which connection. */
export type Replicas = {
  /** How many replicas must have stored a claim before its call is sent; 0 if Redis has no replicas. */
  expected: () => number | Promise<number>;
  /** A connection for claims alone, which repeats no command by itself. */
  connect: () => RedisConnection;
};

/**
 * Batches of claims that wait for replicas. A claim has one more answer: { "unconfirmed", replicas that have it, replicas that should }.
 * Nothing may be sent then, and the claim must be given back: a replica promoted without it would let the same thing be made again.
 *
 * Claims of a moment share one WAIT. It blocks its connection, so claims have their own, and the next claims gather meanwhile. WAIT covers
 * only writes of its own connection, so every "go" must be a write, even a repeated one of the same owner.
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
    // The pipeline goes to one server, in this order. The script is loaded first. Otherwise EVALSHA could fail and be repeated after the
    // WAIT, which would then confirm no replica's copy of what the script wrote.
    const pipeline = connection
      .pipeline()
      .script('LOAD', lua)
      .evalsha(sha, 1, account, ...args);
    pipeline.wait(count, CONFIRM_WITHIN_MS);
    const [, [error, answers] = [NONE], [waitError, confirmed] = [NONE]] = (await pipeline.exec()) ?? [];
    // In a cluster, a pipeline that was sent to the wrong node does not find the right one by itself, so the nodes are read again.
    if ((error || waitError) && 'refreshSlotsCache' in connection) connection.refreshSlotsCache();
    if (error) return endMisfit(error);
    return (answers as unknown[]).map((answer) => {
      if (!mayBeSent(answer)) return answer;
      // A plain error takes the place of Redis' own, so that the claim is asked for again: the ERR of a demoted primary looks like that of
      // a faulty script.
      if (waitError) return new Error(`the replicas could not be asked (${messageOf(waitError)})`);
      return Number(confirmed) < count ? ['unconfirmed', Number(confirmed), count] : answer;
    });
  }, BATCH.mostAtOnce);
}

const NONE = new Error('no answer');

/** The most ms that a claim waits for replicas to confirm it; its row and slot wait too. Replicas that keep up answer within milliseconds. */
export const CONFIRM_WITHIN_MS = 1_000;

const mayBeSent = (answer: unknown): boolean => Array.isArray(answer) && answer[0] === 'go';
