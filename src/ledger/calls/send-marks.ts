import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { counted } from '../../counted.ts';
import { isLimitlineError, LimitlineError, messageOf } from '../../errors.ts';
import { type LastLink, makeLastLinkMemory } from '../../files/last-link.ts';
import { inTime } from '../../in-time.ts';
import type { Log } from '../../log.ts';
import { endMisfit, makeLuaScript, type RedisConnection, scriptText } from '../../lua-script.ts';
import { onceAtATime } from '../../once-at-a-time.ts';
import { nearlyFullWords } from '../../redis-memory/memory.ts';
import type { Keys } from '../schema/keys.ts';
import type { RetryUntilAnswered } from '../schema/until-answered.ts';
import { CONFIRM_WITHIN_MS, type Replicas } from './batches.ts';
import { missingReplicas } from './claim-answers.ts';

/** Maximum age, in ms, of the mark under which a call leaves. */
const FRESH_MS = 1_000;

/** Longest wait for the mark of an action, in ms: replicas have their time. It may take as long as Redis is away, or a folder on the network. */
const FOLLOW_WITHIN_MS = CONFIRM_WITHIN_MS + 500;

const NO_MARK = 'what was done has no mark: a Redis that is set back may lose it unnoticed';

const NONE = new Error('no answer');

const MARK_SENDING = new URL('../lua/mark-sending.lua', import.meta.url);

/**
 * The script's answer: the number of the last mark, with a note if Redis is older than what was sent; `unconfirmed`, if replicas lack the
 * mark (see missingReplicas); or `full`, with the bytes in use and the most bytes, if Redis is nearly full.
 */
type Answer = [number | 'unconfirmed', string?] | ['full', number, number];

export type SendMarks = ReturnType<typeof makeSendMarks>;

/** When, and on which host, it was first seen that Redis is older than what was sent. */
type Older = { atMs: number; host: string };

/**
 * Whether the Redis that was accepted was older than what was sent, and how many hosted sessions that waited in it are held: they may have
 * been sent since.
 */
type Accepted = { older: boolean; heldSessions: number };

/**
 * Detects a Redis that was set back: to a copy, to nothing, or to a replica that lacked its last writes. Each second with calls has a mark,
 * a number and a random text. It is written to Redis, then to the data folder, and then that second's calls leave. If Redis lacks the
 * folder's or this process's last mark, requests since then would be sent again. Each claim checks its mark in the same script
 * (lua/claim.lua), so a Redis without the mark grants none. A mark also follows each action whose beginning and end are in the audit
 * trail, such as an import or a cancel, since a Redis that lacks one may send what somebody gave up.
 *
 * Marks belong to one Redis, prefix and account. A copy younger than the last mark is not noticed. One more mark follows the last call
 * after a second ({@link look}). So only two copies go unnoticed: one restored within two seconds of being made, and one made in the last
 * second of a killed process.
 */
export function makeSendMarks(given: {
  connection: RedisConnection;
  keys: Pick<Keys, 'marks'>;
  /** Folder of the marks of all accounts of one Redis and prefix. */
  dir: string;
  account: string;
  /** Whether a Redis that is older than what was sent is only logged and then accepted, as for the stand-in. */
  warnsOnly: boolean;
  retryUntilAnswered: RetryUntilAnswered;
  replicas: Replicas;
  log: Log;
  /** For tests: the maximum age of the mark under which a call leaves. */
  freshMs?: number;
}) {
  const { connection, keys, dir, account, warnsOnly, retryUntilAnswered, replicas, log, freshMs = FRESH_MS } = given;
  const digest = createHash('sha256').update(account).digest('hex').slice(0, 12);
  const memory = makeLastLinkMemory(join(dir, digest), { isSynced: true });
  const mark = makeLuaScript(connection, MARK_SENDING);
  let own: LastLink | undefined;
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  /** Calls that left and actions that were done, and how many of them before the last mark. */
  let [sent, followed] = [0, 0];
  let confirming: RedisConnection | undefined;

  const inFolder = <T>(doing: Promise<T>): Promise<T> =>
    doing.catch((error) => {
      const message = `the note of what was sent cannot be kept in ${memory.dir}: ${messageOf(error)}`;
      throw new LimitlineError('FILE', message);
    });

  /**
   * The later one of two marks: this process's own last one, and the one in the data folder. The folder may be gone, and another process
   * may have sent later.
   */
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
    // The script and WAIT go over one connection, since WAIT covers only that connection's earlier writes.
    const pipeline = confirming.pipeline().eval(scriptText(MARK_SENDING), 1, keys.marks, ...args);
    const answers = (await pipeline.wait(wanted, CONFIRM_WITHIN_MS).exec()) ?? [];
    // As claims do: in a cluster, a pipeline that was sent to the wrong node does not find the right one by itself.
    if (answers.some(([error]) => error) && 'refreshSlotsCache' in confirming) confirming.refreshSlotsCache();
    const [[error, answer] = [NONE], [waitError, confirmed] = [NONE]] = answers;
    if (error) return endMisfit(error);
    // As for claims, a plain error: the ERR of a demoted primary looks like that of a faulty script.
    if (waitError) throw new Error(`the replicas could not be asked (${messageOf(waitError)})`);
    return (Number(confirmed) < wanted ? ['unconfirmed', confirmed, wanted] : answer) as Answer;
  };

  const acceptAsIt = async (): Promise<Accepted> => {
    const last = (await lastKnown())?.number ?? 0;
    own = undefined;
    const answer = await retryUntilAnswered('accept marks', () => mark({ marks: keys.marks }, { accepted: last }));
    const [older, heldSessions = 0] = answer as number[];
    return { older: older === 1, heldSessions };
  };

  /** Checks the last known mark in Redis, and writes `link` unless it is "". Returns the last number. Throws if Redis is older. */
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

  const look = async (): Promise<void> => {
    if (sent > followed) await renewOnce();
    else await compare('');
  };

  return {
    /**
     * Resolves when a call may leave, which it must do at once.
     *
     * @throws LimitlineError `OLDER` if Redis is older than what was sent; `REDIS` if replicas do not confirm the mark; `FILE` if it cannot
     *   be written to the data folder; `FULL` if the memory of Redis is nearly full
     */
    async ready(): Promise<void> {
      if (performance.now() >= freshUntilMs) await renewOnce();
      sent += 1;
    },

    /** The mark under which calls of this process leave now; undefined if none has left. */
    current: (): LastLink | undefined => own,

    /** Makes the next call ask Redis for a new mark, however fresh the present one is. */
    expire(): void {
      freshUntilMs = Number.NEGATIVE_INFINITY;
    },

    /**
     * A process that sends calls this each second, and once after its last call. It writes a new mark if a call left under the last
     * one, else only checks. Waits while Redis is away. @throws as {@link ready}
     */
    look,

    /**
     * Writes a mark after an action, unless Redis is older already. The action is done, so a failure is only logged, and the caller waits for
     * {@link FOLLOW_WITHIN_MS} at most.
     */
    async follow(): Promise<void> {
      sent += 1;
      // A mark whose write had begun before may be in Redis without the action: then another mark is written.
      const following = look().then(() => (sent > followed ? look() : undefined));
      const logged = following.catch((error) => {
        if (!isLimitlineError(error, 'OLDER')) log.error({ reason: messageOf(error) }, NO_MARK);
      });
      await inTime(logged, FOLLOW_WITHIN_MS, () => {});
    },

    /** Checks the last known mark in Redis, and writes none. @throws LimitlineError `OLDER` */
    async check(): Promise<void> {
      await compare('');
    },

    /** For pages: what {@link check} found, instead of an error. Works without the data folder. Rejects if Redis is away. */
    async older(): Promise<Older | undefined> {
      const known = await lastKnown().catch(() => own);
      const [, noted] = (await ask('', known)) as [number, string?];
      return noted === undefined || warnsOnly ? undefined : (JSON.parse(noted) as Older);
    },

    /** Accepts Redis as it is from now on. */
    accept: acceptAsIt,
  };
}

/** A sentence about hosted sessions that are held since an older Redis was accepted; '' for none. */
export function heldSessionsWords(count: number): string {
  if (count === 0) return '';
  const [waited, are] = [counted(count, 'hosted session'), count === 1 ? 'it is' : 'they are'];
  return `${waited} waited in the older Redis and may have been sent since, so ${are} held. To ask for a new one: \`limitline sessions NAME --line N --resend\`.`;
}

function olderFault({ atMs, host }: Older): LimitlineError {
  return new LimitlineError('OLDER', `${OLDER_WORDS} (Seen on ${host} at ${new Date(atMs).toISOString()}.)`);
}

/** Words for people about a Redis that is older than what was sent: the problem and its remedies, each short enough for a notice. */
export const OLDER = {
  title: 'Redis is older than what was sent',
  why: 'A copy of Redis was put back, or Redis lost its last writes. What was requested since then would be requested again, and what was imported or decided since is lost, so nothing is sent.',
  recover: 'Put back what results files know: npx limitline recover FILE.results.csv --apply.',
  accept: 'Or, if nothing was requested since then: npx limitline acknowledge-rollback.',
} as const;

/** The problem and its remedies as one text. */
export const OLDER_WORDS = `${OLDER.title}. ${OLDER.why} ${OLDER.recover} ${OLDER.accept}`;
