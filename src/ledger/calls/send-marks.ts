import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { LimitlineError, messageOf } from '../../errors.ts';
import { type LastLink, makeLastLinkMemory } from '../../files/last-link.ts';
import type { Log } from '../../log.ts';
import { endMisfit, makeLuaScript, type RedisConnection, scriptText } from '../../lua-script.ts';
import { onceAtATime } from '../../once-at-a-time.ts';
import { nearlyFullWords } from '../../redis-memory/memory.ts';
import type { Keys } from '../schema/keys.ts';
import type { RetryUntilAnswered } from '../schema/until-answered.ts';
import { CONFIRM_WITHIN_MS, type Replicas } from './batches.ts';
import { missingReplicas } from './claim-answers.ts';

/** A call leaves under a mark that is no older than this. */
const FRESH_MS = 1_000;

const MARK_SENDING = new URL('../lua/mark-sending.lua', import.meta.url);

/** The number of the last mark, and what was noted where Redis is older; bytes where it is nearly full; or what missingReplicas reads. */
type Answer = [number | 'unconfirmed', string?] | ['full', number, number];

export type SendMarks = ReturnType<typeof makeSendMarks>;

/** What is known where Redis is older than what was sent: since when, and on which host that was seen first. */
export type Older = { atMs: number; host: string };

/**
 * Tells a Redis that was set back: to a copy, to nothing, or to a replica that lacked its last writes. For each second in which
 * something is sent there is a mark, a number and a random text. It stands in Redis, then in the data folder, and then the calls of
 * that second leave. Where the last mark of the folder, or of this process, is not in Redis, what was requested since would be
 * requested again. Each claim asks for its mark in the same step (lua/claim.lua), so none is granted by a Redis that lacks it.
 *
 * Marks belong to one Redis, prefix and account. A copy that is younger than the last mark is not noticed. A second after the last
 * call there is one more mark ({@link look}), so that is a copy which was put back within two seconds of being made, or one of the last
 * second of a process that was killed.
 */
export function makeSendMarks({
  connection,
  keys,
  dir,
  account,
  warnsOnly,
  retryUntilAnswered,
  replicas,
  log,
  freshMs = FRESH_MS,
}: {
  connection: RedisConnection;
  keys: Pick<Keys, 'marks'>;
  /** Where marks are remembered, for all accounts of one Redis and prefix. */
  dir: string;
  account: string;
  /** Where nothing is worth anything: an older Redis is logged, and then taken as it is. */
  warnsOnly: boolean;
  retryUntilAnswered: RetryUntilAnswered;
  replicas: Replicas;
  log: Log;
  /** For tests: how old the mark may be under which a call leaves. */
  freshMs?: number;
}) {
  const digest = createHash('sha256').update(account).digest('hex').slice(0, 12);
  const memory = makeLastLinkMemory(join(dir, digest), { isSynced: true });
  const mark = makeLuaScript(connection, MARK_SENDING);
  let own: LastLink | undefined;
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  /** How many calls left, and how many of them have a mark behind them. */
  let [sent, followed] = [0, 0];
  let confirming: RedisConnection | undefined;

  const inFolder = <T>(doing: Promise<T>): Promise<T> =>
    doing.catch((error) => {
      throw new LimitlineError('FILE', `what is sent cannot be noted in ${memory.dir}: ${messageOf(error)}`);
    });

  /** The later one of what this process and its data folder know: a folder may be gone, and another process may have sent. */
  const lastKnown = async (): Promise<LastLink | undefined> => {
    const remembered = await inFolder(memory.read());
    return own && (!remembered || remembered.number < own.number) ? own : remembered;
  };

  const ask = async (link: string, known: LastLink | undefined): Promise<Answer> => {
    const noted = JSON.stringify({ atMs: Date.now(), host: hostname() } satisfies Older);
    const args = [link, known?.number ?? 0, known?.link ?? '', noted];
    const wanted = link === '' ? 0 : await replicas.expected();
    if (wanted === 0) return (await mark([keys.marks], args)) as Answer;
    confirming ??= replicas.connect();
    // Behind each other on one connection, since WAIT is about the writes before it.
    const pipeline = confirming.pipeline().eval(scriptText(MARK_SENDING), 1, keys.marks, ...args);
    const answers = (await pipeline.wait(wanted, CONFIRM_WITHIN_MS).exec()) ?? [];
    const [answer, confirmed] = answers.map(([error, value]) => (error ? endMisfit(error) : value));
    return (Number(confirmed) < wanted ? ['unconfirmed', confirmed, wanted] : answer) as Answer;
  };

  const acceptAsIt = async (): Promise<boolean> => {
    const last = (await lastKnown())?.number ?? 0;
    own = undefined;
    return (await retryUntilAnswered('accept marks', () => mark({ marks: keys.marks }, { accepted: last }))) === 1;
  };

  /** Asks, with a new mark or without, and ends it where Redis is older. */
  const compare = async (link: string): Promise<number> => {
    const known = await lastKnown();
    const answer = await retryUntilAnswered('mark', () => ask(link, known));
    const missing = missingReplicas(answer);
    if (missing) throw missing;
    if (answer[0] === 'full') {
      throw new LimitlineError('FULL', nearlyFullWords({ usedBytes: answer[1], mostBytes: answer[2] }));
    }
    const [number, noted] = answer;
    if (noted === undefined) return Number(number);
    const fault = olderFault(JSON.parse(noted) as Older);
    if (!warnsOnly) throw fault;
    log.warn(`${fault.message} This is the stand-in's account, so it goes on.`);
    await acceptAsIt();
    return compare(link);
  };

  const renew = async (): Promise<void> => {
    const link = randomBytes(32).toString('base64url');
    const askedAtMs = performance.now();
    const sentBefore = sent;
    const number = await compare(link);
    await inFolder(memory.remember({ number, link }));
    own = { number, link };
    freshUntilMs = askedAtMs + freshMs;
    followed = sentBefore;
  };

  const renewOnce = onceAtATime(renew);

  return {
    /**
     * Resolves when a call may leave, which it has to do at once.
     *
     * @throws LimitlineError `OLDER` where Redis is older than what was sent; `REDIS` where replicas do not confirm the mark; `FILE`
     *   where it cannot be written into the data folder; `FULL` where the memory of Redis is nearly full
     */
    async ready(): Promise<void> {
      if (performance.now() >= freshUntilMs) await renewOnce();
      sent += 1;
    },

    /** The mark under which calls of this process leave now; nothing where none ever left. */
    current: (): LastLink | undefined => own,

    /** Asks Redis again before the next call leaves, however fresh the mark is. */
    expire(): void {
      freshUntilMs = Number.NEGATIVE_INFINITY;
    },

    /**
     * Who sends calls this each second, and once behind the last call: marks anew where anything left under the last mark, else only
     * compares. Waits while Redis is away. @throws as {@link ready}
     */
    async look(): Promise<void> {
      if (sent > followed) await renewOnce();
      else await compare('');
    },

    /** Compares what is known here with Redis, and marks nothing. @throws LimitlineError `OLDER` */
    async check(): Promise<void> {
      await compare('');
    },

    /** The same as an answer, for pages, also where the data folder is out of reach. Rejects where Redis is away. */
    async older(): Promise<Older | undefined> {
      const known = await lastKnown().catch(() => own);
      const [, noted] = (await ask('', known)) as [number, string?];
      return noted === undefined || warnsOnly ? undefined : (JSON.parse(noted) as Older);
    },

    /** Takes Redis as it is for the truth, from now on. Answers whether it was older than what was sent. */
    accept: acceptAsIt,
  };
}

function olderFault({ atMs, host }: Older): LimitlineError {
  return new LimitlineError('OLDER', `${OLDER_WORDS} (Seen on ${host} at ${new Date(atMs).toISOString()}.)`);
}

/** What is wrong, and what to do about it: each short enough for a notice. */
export const OLDER = {
  title: 'Redis is older than what was sent',
  why: 'A copy was put back, or its last writes are lost. What was requested since then would be requested again, so nothing is sent.',
  recover: 'Put back what results files know: npx limitline recover FILE.results.csv --apply.',
  accept: 'Or, if nothing was requested since then: npx limitline acknowledge-rollback.',
} as const;

/** For whoever has to do something about it, wherever it is said. */
export const OLDER_WORDS = `${OLDER.title}. ${OLDER.why} ${OLDER.recover} ${OLDER.accept}`;
