import type { CallKind } from '../../src/call-kind.ts';
import type { UnknownPolicy } from '../../src/config.ts';
import { isLimitlineError, LimitlineError, messageOf } from '../../src/errors.ts';
import type { AtMostOnce, Claim } from '../../src/ledger/calls/at-most-once.ts';
import type { Moving } from '../../src/ledger/calls/batches.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Log } from '../../src/log.ts';
import type { CallRecord, Sent, Settled } from '../../src/outcome.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { headersOf } from '../../src/service/token-call.ts';
import { passOn } from './pass-on.ts';
import { type Passage, type PassageDeps, waitForPassage } from './passage.ts';
import { makeUnauthorized, type Unauthorized } from './unauthorized.ts';
import { orStopped, waitFor } from './wait-for.ts';
import { nameOf, sendWish, type Wish } from './wish.ts';

/** What it takes to make a call. */
export type CallDeps = PassageDeps & {
  portfolios: Portfolios;
  atMostOnce: AtMostOnce;
  service: ServiceClient;
  onUnknown: Readonly<Record<CallKind, UnknownPolicy>>;
  /** What is known of the 401s of rows that have stepped aside, by the name of their call. */
  suspects: Map<string, Unauthorized>;
  /** Lets rows go on that are held for a call of which nobody is in doubt any more. */
  freeHeld: (known: Pick<Wish, 'kind' | 'key' | 'buyer'>) => Promise<unknown>;
  log: Log;
  /** Hears of a fault that every row would meet, such as refused credentials. */
  onCommonFault: (error: Error) => void;
  /** Lets this process take up no row for so long, and puts back those that only wait in it. */
  restAlone: (ms: number) => void;
};

/** How a call ended for the row that wanted it; whatever only waits for another turn does so here. */
export type CallOutcome = Exclude<Ending, { again: 'in turn' }>;

/** `onward` where the row has gone on in the same step of the ledger: with what it has in hand of its next call. */
type Ending =
  | Exclude<Settled, { is: 'made' }>
  | (Extract<Settled, { is: 'made' }> & { onward?: { inHand: InHand | undefined } });

/** What a row has in hand of a call before it is made: the way is free, and perhaps the call is claimed. */
export type InHand = { wish: Wish; passage: Passage; claim: Claim | undefined };

/** How a row goes on once its call was made, and the call that it wants next, if it may go on to it. */
export type RowOnward = (made: { id: string; record: CallRecord }) => {
  moving: Moving;
  next: { wish: () => Wish } | undefined;
};

/** Who alone is put off asks again at this pace: its thirty times are over within some seconds, and cost next to nothing. */
const PUT_OFF_WAIT_MS = 100;
/** Credentials are a person's work: look again at a person's speed, yet soon after they are right. */
const CREDENTIALS_WAIT_MS = 4_000;

/** What keeps this process alone from sending is looked at again so soon. */
const HERE_WAIT_MS = 4_000;

/** So many calls a second were accepted within the last seconds: the credentials are this process' own, as those of others are taken. */
const OTHERS_PASS_PER_S = 0.05;
/** Long, since each look takes a turn of theirs, and rows that they could send. */
const OWN_CREDENTIALS_REST_MS = 8_000;
/** A row for which credentials were refused here steps aside: a process that has others may take it up. */
const ASIDE_MS = 1_000;

/** What every row would meet: credentials that are refused, no token to be had, replicas that do not confirm a claim, a Redis that is nearly full. */
const STOPS_ALL_CALLS: ReadonlyMap<string, 'credentials' | 'outage' | 'replicas' | 'memory'> = new Map([
  ['CREDENTIALS', 'credentials'],
  ['SERVICE', 'outage'],
  ['REDIS', 'replicas'],
  ['FULL', 'memory'],
]);

/**
 * Makes one call of a step, at most once: waits until it may leave, then claims, sends and settles it. Throttling, outages and
 * bad credentials are no outcomes for the row: all calls wait for their end, and this one takes another turn.
 *
 * @param isCarried whether the row was carried here from an earlier step: it waits at no shut door then, and this rejects with `STOPPED`
 */
export async function callOnce(
  wish: Wish,
  deps: CallDeps,
  { inHand, onward, isCarried = false }: { inHand?: InHand | undefined; onward?: RowOnward; isCarried?: boolean } = {},
): Promise<CallOutcome> {
  const unauthorized = takeSuspect(wish, deps);
  let given = inHand;
  let isAlone = false;
  for (;;) {
    if (isAlone) await waitFor(PUT_OFF_WAIT_MS, deps.stopping);
    await unauthorized.pause(deps.stopping);
    if (isCarried && !given && deps.doors.isShut(wish.kind)) throw atTheDoor();
    const passage = given?.passage ?? (await waitForPassage(wish.kind, () => tryToken(wish, deps), deps));
    const turn: Turn = { passage, isAlone, unauthorized, onward };
    const outcome = await callInTurn(wish, turn, given?.claim, deps).finally(passage.end);
    given = undefined;
    // Its outcome was unknown until now: other rows may be held for that, and go on.
    if ('wasUnknown' in outcome && outcome.wasUnknown) await deps.freeHeld(wish);
    if (outcome.is !== 'later' || outcome.again !== 'in turn') return outcome;
    const asideMs = unauthorized.stepAside();
    if (asideMs > 0) {
      deps.suspects.set(nameOf(wish), unauthorized);
      return { is: 'later', again: asideMs, reason: outcome.reason };
    }
    isAlone = (outcome.putOffs ?? 0) > 0;
  }
}

/** What a call in its turn goes by besides: whether it alone is put off while others pass, and what its 401s have said so far. */
type Turn = { passage: Passage; isAlone: boolean; unauthorized: Unauthorized; onward: RowOnward | undefined };

/**
 * Token, claim, send, settle: the one place where something is sent. A turn that went by unused while this waited for its token
 * or its claim is given up under a ceiling.
 */
async function callInTurn(wish: Wish, turn: Turn, claimed: Claim | undefined, deps: CallDeps): Promise<Ending> {
  try {
    const claim = claimed ?? (await claimInTurn(wish, turn, deps));
    if (claim.is !== 'go') return claim;
    const sent = await sendClaimed(claim.first, wish, turn, deps).catch(claim.giveBack);
    const outcome = await settle(claim, sent, turn, deps);
    await turn.unauthorized.renew(deps.stopping);
    return outcome;
  } catch (error) {
    if (isLimitlineError(error, 'OLDER')) deps.onCommonFault(error);
    if (isLimitlineError(error, 'FILE'))
      await deps.doors.ours(wish.kind, error.message, turn.passage.trial).catch(() => {});
    if (isLimitlineError(error, 'OLDER', 'FILE')) return waitHere(error, deps);
    if (!isLimitlineError(error) || !STOPS_ALL_CALLS.has(error.code)) throw error;
    if (error.code !== 'CREDENTIALS') {
      await stopAllCalls(error, turn.passage.episode, deps);
      return inTurn(error.message);
    }
    deps.onCommonFault(error);
    const { flowPerS } = await deps.pace.look();
    if (flowPerS >= OTHERS_PASS_PER_S) deps.restAlone(OWN_CREDENTIALS_REST_MS);
    else await stopAllCalls(error, turn.passage.episode, deps);
    return { is: 'later', again: ASIDE_MS, reason: error.message };
  }
}

async function claimInTurn(wish: Wish, { passage, unauthorized }: Turn, deps: CallDeps): Promise<Claim | Settled> {
  await unauthorized.freshen(deps.stopping);
  if (!deps.service.isAuthorized()) {
    await orStopped(
      deps.service.authorize(() => countTokenCall(wish, deps)),
      deps.stopping,
    );
  }
  if (passage.isLost()) return inTurn('the turn went by while the token was got');
  if (passage.isShutOut()) return inTurn('the outcome of such calls is unknown for now');
  await deps.atMostOnce.mayLeave();
  return deps.atMostOnce.claim(wish, deps.onUnknown[wish.kind]);
}

/** Sends what was claimed, unless its moment has passed meanwhile. Rejects only where nothing was made. */
async function sendClaimed(first: string, wish: Wish, turn: Turn, deps: CallDeps): Promise<Sent> {
  const { passage, unauthorized } = turn;
  if (passage.isShutOut()) return unsent('its door was shut while it was claimed');
  // Those that wait for the next token with their claims would leave together.
  if (!deps.service.isAuthorized()) return unsent('its token died while it was claimed');
  await deps.atMostOnce.mayLeave();
  if (!passage.leave()) return unsent('the turn went by while it was claimed');
  const sentAtMs = performance.now();
  const onTokenCall = () => countTokenCall(wish, deps);
  const answer = await sendWish(wish, { idempotencyKey: `limitline-${first}`, onTokenCall }, deps.service);
  await passOn(answer, wish, { ...passage, isAlone: turn.isAlone, sentAtMs }, deps);
  // Nothing was made, and the ledger hears of it once it is clear whose fault it is.
  return answer.is === 'unauthorized' ? unauthorized.judge(answer, sentAtMs) : answer;
}

/**
 * Writes down what became of the call. Where it was made, its row goes on in the same step; and where the way is free for the next
 * call at this moment, that is claimed in it, too.
 */
async function settle(claim: Claim, sent: Sent, turn: Turn, deps: CallDeps): Promise<Ending> {
  const ahead = sent.is === 'made' ? lookAhead(sent, turn, deps) : undefined;
  turn.passage.leaveSlot();
  let isInHand = false;
  try {
    const ended = await claim.settle(
      sent,
      ahead && {
        moving: ahead.moving,
        next: ahead.next?.wish,
        onUnknown: ahead.next ? deps.onUnknown[ahead.next.wish.kind] : 'hold',
      },
    );
    if (!('onward' in ended)) return ended;
    isInHand = ahead?.next !== undefined;
    return { ...ended, onward: { inHand: ahead?.next && { ...ahead.next, claim: ended.onward.claim } } };
  } finally {
    if (!isInHand) await ahead?.next?.passage.end();
  }
}

/**
 * How the row goes on, and what it may have of its next call without waiting. Whatever fails here is met again where the row stands then:
 * what was made is written down in any case.
 */
function lookAhead(
  made: Extract<Sent, { is: 'made' }>,
  { passage, onward }: Turn,
  { service, log }: CallDeps,
): { moving: Moving; next?: Omit<InHand, 'claim'> } | undefined {
  try {
    const onwards = onward?.(made);
    if (!onwards) return undefined;
    const { moving, next } = onwards;
    const wish = next && service.isAuthorized() ? next.wish() : undefined;
    const ahead = wish && passage.passOn(wish.kind);
    return { moving, ...(wish && ahead ? { next: { wish, passage: ahead } } : {}) };
  } catch (error) {
    log.debug({ reason: messageOf(error) }, 'what follows a call that was made is looked at once more');
    return undefined;
  }
}

/** Who waits at a shut door in another step's job keeps the rows of that step from going. */
function atTheDoor(): LimitlineError {
  return new LimitlineError('STOPPED', 'The door of its calls is shut; the row stands in the queue before it.');
}

/** This process may send nothing: its calls wait for it to end, or for its data folder. Those of others go on. */
async function waitHere(error: Error, { log, stopping }: CallDeps): Promise<Ending> {
  log.warn({ reason: error.message }, 'nothing is sent by this process');
  await waitFor(HERE_WAIT_MS, stopping);
  return inTurn(error.message);
}

function inTurn(reason: string): Settled {
  return { is: 'later', again: 'in turn', reason };
}

function unsent(reason: string): Sent {
  return { is: 'unsent', reason };
}

/** All calls of the fleet wait, since each would meet this fault; one is let through now and then to see whether it has passed. */
async function stopAllCalls(error: Error & { code: string }, episode: number, deps: CallDeps): Promise<void> {
  const askedMs = error.code === 'CREDENTIALS' ? CREDENTIALS_WAIT_MS : 0;
  const headers = headersOf(error);
  const because = STOPS_ALL_CALLS.get(error.code) ?? 'outage';
  await deps.pace.block({ why: error.message, because, askedMs, headers, episode }).catch(() => {});
}

function takeSuspect(wish: Wish, deps: CallDeps): Unauthorized {
  const suspect = deps.suspects.get(nameOf(wish));
  deps.suspects.delete(nameOf(wish));
  return suspect ?? makeUnauthorized({ ...wish, onTokenCall: () => countTokenCall(wish, deps) }, deps);
}

/**
 * The call that makes nothing, before one that may: whether there is a token. What else it brings is no fault of the
 * settings while a door is shut, since an outage answers whatever it likes.
 */
async function tryToken(wish: Wish, deps: CallDeps): Promise<boolean> {
  try {
    await orStopped(
      deps.service.tryToken(() => countTokenCall(wish, deps)),
      deps.stopping,
    );
    return true;
  } catch (error) {
    deps.log.debug({ reason: messageOf(error) }, 'no token either');
    await deps.pace.obey(headersOf(error)).catch(() => {});
    return false;
  }
}

function countTokenCall(wish: Wish, { portfolios, log }: CallDeps): void {
  portfolios.count(wish.row.portfolio, 'token').catch((error) => {
    log.warn({ reason: messageOf(error) }, 'a token call could not be counted');
  });
}
