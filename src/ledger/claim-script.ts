import { createHash } from 'node:crypto';
import { messageOf } from '../errors.ts';
import { endMisfit, type LuaScript, makeLuaScript, type RedisConnection, scriptText } from '../lua-script.ts';

/** What claims need to know of Redis' replicas. */
export type Replicas = {
  /** On so many a claim must be before anything is sent; 0 where there is none to ask. */
  expected: () => number | Promise<number>;
  /** A connection for claims alone, which sends nothing again by itself. */
  connect: () => RedisConnection;
};

/**
 * claim.lua, with one further answer: { "unconfirmed", replicas that have it, replicas that should }. The claim then
 * stands where it was written and perhaps nowhere else; nothing may be sent, and it is to be given back. A replica that is
 * promoted without a claim would let the same thing be made again.
 *
 * The claims of a moment go together with one WAIT behind them. It blocks its connection, so they have one of their own, and
 * the next claims gather meanwhile. It counts writes of its own connection alone, so every "go" of claim.lua has to be one; the
 * repeated one of the same owner too. Where no replica is expected, claims go the way of every other script.
 */
export function makeClaimScript({
  connection,
  replicas,
}: {
  connection: RedisConnection;
  replicas: Replicas | undefined;
}): LuaScript {
  const alone = makeLuaScript(connection, CLAIM);
  if (!replicas) return alone;
  let confirmed: Confirm | undefined;
  return async (keys, args) => {
    const wanted = await replicas.expected();
    if (wanted === 0) return alone(keys, args);
    confirmed ??= makeConfirm(replicas.connect());
    return confirmed(keys, args, wanted).catch(endMisfit);
  };
}

const CLAIM = new URL('./lua/claim.lua', import.meta.url);

/** Replicas that follow answer within milliseconds; the row and its slot wait for those that do not. */
export const CONFIRM_WITHIN_MS = 1_000;

type Confirm = (keys: readonly string[], args: Parameters<LuaScript>[1], wanted: number) => Promise<unknown>;

type Asked = {
  keys: readonly string[];
  args: Parameters<LuaScript>[1];
  wanted: number;
  resolve: (answer: unknown) => void;
  reject: (reason: unknown) => void;
};

function makeConfirm(connection: RedisConnection): Confirm {
  const lua = scriptText(CLAIM);
  let gathered: Asked[] = [];
  let sending = false;

  const sendAll = async (): Promise<void> => {
    while (gathered.length > 0) {
      const batch = gathered;
      gathered = [];
      await sendBatch(connection, lua, batch);
    }
    sending = false;
  };

  return (keys, args, wanted) =>
    new Promise((resolve, reject) => {
      gathered.push({ keys, args, wanted, resolve, reject });
      if (sending) return;
      sending = true;
      // Whatever else is claimed in this turn of the event loop comes along.
      setImmediate(sendAll);
    });
}

/** Answers or rejects each of the batch; never rejects itself. */
async function sendBatch(connection: RedisConnection, lua: string, batch: readonly Asked[]): Promise<void> {
  const sha = createHash('sha1').update(lua).digest('hex');
  const wanted = Math.max(...batch.map((asked) => asked.wanted));
  // One write to one server, in this order. A server that lacks the script would be given it behind the WAIT.
  const pipeline = connection.pipeline().script('LOAD', lua);
  for (const { keys, args } of batch) pipeline.evalsha(sha, keys.length, ...keys, ...args);
  pipeline.wait(wanted, CONFIRM_WITHIN_MS);
  let answers: [error: Error | null, answer: unknown][];
  try {
    answers = (await pipeline.exec()) ?? [];
  } catch (error) {
    for (const { reject } of batch) reject(error);
    return;
  }
  const [waitError, confirmed] = answers.at(-1) ?? [new Error('no answer'), 0];
  batch.forEach((asked, place) => {
    const [error, answer] = answers[place + 1] ?? [new Error('no answer'), undefined];
    if (error) asked.reject(error);
    else if (!mayBeSent(answer)) asked.resolve(answer);
    // Not what Redis said, since a primary that is no more says ERR: to ask again is right, wherever it leads.
    else if (waitError) asked.reject(new Error(`the replicas could not be asked (${messageOf(waitError)})`));
    else asked.resolve(Number(confirmed) < wanted ? ['unconfirmed', Number(confirmed), wanted] : answer);
  });
  // A pipeline that was sent to the wrong node of a cluster does not look for the right one by itself.
  if (answers.some(([error]) => error) && 'refreshSlotsCache' in connection) connection.refreshSlotsCache();
}

function mayBeSent(answer: unknown): boolean {
  return Array.isArray(answer) && answer[0] === 'go';
}
