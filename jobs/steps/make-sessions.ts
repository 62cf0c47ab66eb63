import type { Sent, Settled } from '../../src/call-kind.ts';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import type { AtMostOnce, Claim } from '../../src/ledger/calls/at-most-once.ts';
import { MOST_PUT_OFFS } from '../../src/ledger/calls/calls.ts';
import type { HostedSessions, SessionWish } from '../../src/ledger/calls/sessions.ts';
import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { isDeclinedLimit } from '../../src/ledger/counts/row-outcome.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { OPEN_STATES, type RowResult, rowsIn } from '../../src/ledger/schema/row.ts';
import type { Log } from '../../src/log.ts';
import { onceAtATime } from '../../src/once-at-a-time.ts';
import { readDate, readLimitWords } from '../../src/pace/limit-headers.ts';
import type { Pace } from '../../src/pace/pace.ts';
import type { Permit } from '../../src/pace/permit-queue.ts';
import type { Slots } from '../../src/pace/slots.ts';
import { shownIn } from '../../src/portfolio/columns/extra-fields.ts';
import type { Queues } from '../../src/queue/queues.ts';
import type { Answered, ServiceClient } from '../../src/service/client.ts';
import { filledBody, placesIn, type SessionCall, type SessionPlace } from '../../src/service/session-file.ts';
import { STEP_JOBS } from '../rows/feed.ts';

export type SessionDeps = {
  /** The call as SERVICE_SESSION_FILE describes it. */
  session: SessionCall;
  sessions: HostedSessions;
  rows: Pick<Rows, 'read'>;
  portfolios: Pick<Portfolios, 'open' | 'read' | 'count'>;
  statusMeanings: Pick<MeaningStore, 'read'>;
  queues: Pick<Queues, 'paused'>;
  atMostOnce: AtMostOnce;
  service: Pick<ServiceClient, 'createSession' | 'authorize' | 'isAuthorized' | 'renewToken'>;
  pace: Pick<Pace, 'take' | 'state' | 'answered'>;
  slots: Pick<Slots, 'inFlight' | 'allowed'>;
  /** Whether this process takes up nothing now: it rests, was told to be quiet, or stops. */
  rests: () => boolean;
  log: Log;
};

/** How often it is checked whether a session may be sent. A person who asked for one waits at most this much longer. */
const LOOK_EVERY_MS = 300;

/** How many waiting sessions are read at a time. */
const PAGE = 500;

/** How long this process sends no session after an error that each session would meet, and after several unknown outcomes in a row. */
const REST_MS = 5_000;
/** The rest after a session's 429 that states no wait, in ms; it doubles until a session is made. */
const FIRST_REST_MS = 1_000;
const MOST_REST_MS = 60_000;
const ANY_REVISION = '*';

/** How many unknown outcomes in a row make this process rest, as many as trip a breaker. */
const MOST_UNKNOWN = 3;

/**
 * Sends the hosted sessions that people asked for, each at most once, while no row is due in the account: limits always go first. Sessions
 * use the pace of all calls, and only slots that no other call uses; other calls do not count them. They have no circuit breaker of their
 * own. While another breaker is tripped, its rows are due, so no session is sent. A session that may not be sent now stays on the list.
 */
export function startSessions(deps: SessionDeps) {
  const { sessions, portfolios, pace, slots, log } = deps;
  const stopping = new AbortController();
  const inHand = new Map<string, Promise<void>>();
  /** Keys of sessions for which this process lacks a value of the body. Another process may have read another session file. */
  const lacking = new Set<string>();
  /** The place in the list of waiting sessions where the next look begins, after sessions that cannot be sent now. */
  let lookFrom = 0;
  let restUntilMs = 0;
  let unknownInARow = 0;
  let throttledInARow = 0;
  /** The token that was fetched after a session's 401, until it makes a session. If it gets a 401 again, sessions themselves are refused. */
  let freshToken: string | undefined;

  const rest = (ms: number): void => {
    restUntilMs = Math.max(restUntilMs, performance.now() + Math.min(ms, MOST_REST_MS));
  };

  const isResting = (): boolean => stopping.signal.aborted || deps.rests() || performance.now() < restUntilMs;
  /** The most sessions in flight. While the service fails or throttles sessions, it is one, so that an outage leaves few in doubt. */
  const most = (): number => (unknownInARow >= MOST_UNKNOWN || throttledInARow > 0 ? 1 : Math.max(1, slots.allowed()));
  const isFull = (): boolean => slots.inFlight() + inHand.size >= most();

  /** Whether a session may be sent now: no row is due, and the queue of limits is not paused. */
  async function mayGo(): Promise<boolean> {
    if (isResting()) return false;
    if ((pace.state().blocked?.untilMs ?? 0) > Date.now()) return false;
    const [open, paused] = await Promise.all([portfolios.open(), deps.queues.paused()]);
    const isDue = ({ paused: why, states }: PortfolioState) => why === undefined && rowsIn(states, OPEN_STATES) > 0;
    return !open.some(isDue) && !paused.includes(STEP_JOBS.limit.queue);
  }

  /** A permit of the common pace; undefined once a row is due, which then goes first, or the process stops. */
  async function takePermit(): Promise<Permit | undefined> {
    const giveUp = new AbortController();
    const watch = onceAtATime(() =>
      mayGo().then(
        (may) => (may ? undefined : giveUp.abort()),
        () => {},
      ),
    );
    const timer = setInterval(watch, LOOK_EVERY_MS);
    try {
      const permit = await pace.take(AbortSignal.any([stopping.signal, giveUp.signal]));
      return (await mayGo()) ? permit : undefined;
    } catch (error) {
      if (isLimitlineError(error, 'STOPPED')) return undefined;
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  /** Claims and sends one session, and takes it off the list unless it still has to be sent. */
  async function make(wish: SessionWish): Promise<void> {
    const [result] = await deps.rows.read([wish.row]);
    // A session may be claimed at any revision of its row, since a row whose limit was made keeps its request.
    const thing = { kind: 'session', ...wish, revision: ANY_REVISION, buyer: result?.request.buyer ?? '' } as const;
    if (!result) {
      // The row is gone, so nothing is sent. If the session is under way, it is left alone; if its sender died, it is held.
      const claim = await deps.atMostOnce.claim(thing, 'hold');
      return end(claim.is === 'go' ? await claim.settle({ is: 'unsent', reason: 'its row is gone' }) : claim);
    }
    const portfolio = await portfolios.read(wish.row.portfolio);
    const filled = sessionBody(deps.session, await sessions.withCompany(result), portfolio);
    if ('lacks' in filled) {
      // The process that recorded the request had all values, so this one may have read another file.
      const words =
        'a hosted session is left to other processes: a value that SERVICE_SESSION_FILE asks for is missing; a worker reads that file only when it starts';
      if (lacking.size === 0) log.warn({ missing: filled.lacks }, words);
      lacking.add(wish.key);
      return;
    }
    const { body } = filled;
    const onTokenCall = () => {
      portfolios.count(wish.row.portfolio, 'token').catch(() => {});
    };
    if (!deps.service.isAuthorized()) await deps.service.authorize(onTokenCall);
    const permit = await takePermit();
    if (!permit) return;
    // The row is read again, because the session may have waited for its permit for long.
    const [now = result] = await deps.rows.read([wish.row]);
    if (isDeclinedLimit(now, await deps.statusMeanings.read()) && (await sessions.dropDeclined(wish))) return;
    await deps.atMostOnce.mayLeave();
    const claim = await deps.atMostOnce.claim({ ...thing, sent: JSON.stringify(body) }, 'hold');
    return end(claim.is === 'go' ? await sendClaimed(claim, permit) : claim);

    async function end(ended: Settled): Promise<void> {
      if (ended.is === 'later') return;
      await sessions.end(wish, { drops: ended.is === 'moved', fails: ended.is !== 'made' });
    }

    async function sendClaimed({ first, settle, giveBack }: Claim, { leave }: Permit): Promise<Settled> {
      const options = { idempotencyKey: `limitline-${first}`, onTokenCall };
      const send = async (): Promise<Sent> => {
        await deps.atMostOnce.mayLeave();
        if (!deps.service.isAuthorized() || !leave())
          return { is: 'unsent', reason: 'the token or the permit expired' };
        const answer = await deps.service.createSession(deps.session, body, options);
        return heard(answer, wish.key, onTokenCall);
      };
      return settle(await send().catch(giveBack));
    }
  }

  /**
   * Handles a session's 429: this process sends no session for a while, and limits go on. The session that begins the wait is sent again
   * later. It counts as refused if that happened too often, either to it or to sessions in a row, so that the following ones need not wait
   * as long again.
   */
  async function putOff(
    { status, reason, headers }: Extract<Answered, { is: 'throttled' }>,
    key: string,
  ): Promise<Sent> {
    if (performance.now() < restUntilMs) return { is: 'throttled', status, reason };
    const words = readLimitWords(headers, readDate(headers) ?? Date.now());
    const waitMs = words.retryAfterMs ?? words.resetMs ?? FIRST_REST_MS * 2 ** throttledInARow;
    throttledInARow += 1;
    const isTooOften = throttledInARow >= MOST_PUT_OFFS;
    if (!isTooOften) rest(waitMs);
    if (isTooOften || (await sessions.count(key, 'putOffs').catch(() => 0)) >= MOST_PUT_OFFS)
      return { is: 'refused', status, body: 'the service put the call off too often' };
    return { is: 'throttled', status, reason };
  }

  /** Turns an answer into what the ledger records. No answer to a session slows or stops other calls. */
  async function heard(answer: Answered, key: string, onTokenCall: () => void): Promise<Sent> {
    unknownInARow = answer.is === 'unknown' ? unknownInARow + 1 : 0;
    if (unknownInARow >= MOST_UNKNOWN) rest(REST_MS * 2 ** (unknownInARow - MOST_UNKNOWN));
    switch (answer.is) {
      case 'made':
        freshToken = undefined;
        throttledInARow = 0;
        // The answer's headers are not passed on: they tell of sessions, which may have a limit of their own.
        await pace.answered().catch(() => {});
        return { ...answer, id: key };
      case 'throttled':
        return putOff(answer, key);
      case 'unauthorized': {
        const { status, body, token } = answer;
        // Another process may have renewed the token since this session's first 401.
        const times = await sessions.count(key, 'unauthorized').catch(() => 1);
        if (token === freshToken || times > 1) return { is: 'refused', status, body };
        // If there is no new token, `renewToken` rejects. The session was not made in either case.
        freshToken = await deps.service.renewToken(token, onTokenCall).catch(() => undefined);
        return { is: 'unauthorized', status, body };
      }
      case 'unreachable':
        rest(REST_MS);
        return answer;
      case 'unknown':
        // A page that the service answered is not kept, because it may contain a link.
        return { is: 'unknown', reason: answer.brief ?? answer.reason };
      default:
        return answer;
    }
  }

  async function look(): Promise<void> {
    if (isResting() || isFull()) return;
    const page = await sessions.waiting({ from: lookFrom, count: PAGE });
    if (page.length > 0 && !(await mayGo())) return;
    const waits = new Map<string, boolean>();
    for (const wish of page) {
      const { portfolio } = wish.row;
      if (!waits.has(portfolio)) {
        const { paused, archiving } = await portfolios.read(portfolio);
        waits.set(portfolio, paused !== undefined || archiving);
      }
      if (waits.get(portfolio) || inHand.has(wish.key) || lacking.has(wish.key)) continue;
      if (isFull() || !(await mayGo())) return;
      const making = make(wish).catch((error) => {
        if (!stopping.signal.aborted)
          log.warn({ reason: messageOf(error) }, 'a hosted session could not be asked for; trying again');
        rest(REST_MS);
      });
      inHand.set(
        wish.key,
        making.finally(() => inHand.delete(wish.key)),
      );
    }
    lookFrom = page.length < PAGE ? 0 : lookFrom + PAGE;
  }
  const lookOnce = onceAtATime(() =>
    look().catch((error) => log.debug({ reason: messageOf(error) }, 'sessions were not looked at')),
  );
  const timer = setInterval(lookOnce, LOOK_EVERY_MS);

  return {
    /** Sends no further session. Resolves when the answers of those in flight are written down. */
    async stop(): Promise<void> {
      clearInterval(timer);
      stopping.abort();
      await Promise.allSettled(inHand.values());
    },
  };
}

/** The body of a row's hosted session; or `lacks`, the places of the body whose ids are not known yet. Pure. */
export function sessionBody(
  { body, returnUrl }: Pick<SessionCall, 'body' | 'returnUrl'>,
  { request, companyId, limitId }: Pick<RowResult, 'request' | 'companyId' | 'limitId'>,
  { supplier, supplierAwaits }: Pick<PortfolioState, 'supplier' | 'supplierAwaits'>,
): { body: Record<string, unknown> } | { lacks: string[] } {
  const shown = [...shownIn('company', request.company), ...shownIn('buyer_limit', request.limit)];
  const texts = shown.filter(([, value]) => typeof value === 'string');
  const values: Partial<Record<SessionPlace, string | undefined>> = {
    ...Object.fromEntries(texts),
    name: request.name,
    supplier: supplierAwaits ? undefined : supplier?.id,
    buyer: companyId || request.companyId,
    limit: limitId,
    return_url: returnUrl,
  };
  const needed = ['supplier', 'buyer', 'limit'] as const;
  const places = placesIn(body);
  const lacks = needed.filter((place) => places.includes(place) && !values[place]);
  return lacks.length > 0 ? { lacks } : { body: filledBody(body, values) };
}
