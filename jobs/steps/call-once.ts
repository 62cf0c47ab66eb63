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
import { type Admission, type AdmissionDeps, waitForAdmission } from './admission.ts';
import { type CallRequest, nameOf, sendRequest } from './call-request.ts';
import { passOn } from './pass-on.ts';
import { makeUnauthorized, type Unauthorized } from './unauthorized.ts';
import { orStopped, waitFor } from './wait-for.ts';

/** What it takes to make a call. */
export type CallDeps = AdmissionDeps & {
  portfolios: Portfolios;
  atMostOnce: AtMostOnce;
  service: ServiceClient;
  onUnknown: Readonly<Record<CallKind, UnknownPolicy>>;
  /** What is known of the 401s of rows that have stepped aside, by the name of their call. */
  suspects: Map<string, Unauthorized>;
  /** Lets rows go on that are held for a call of which nobody is in doubt any more. */
  freeHeld: (known: Pick<CallRequest, 'kind' | 'key' | 'buyer'>) => Promise<unknown>;
  log: Log;
  /** Hears of a fault that every row would meet, such as refused credentials. */
  onCommonFault: (error: Error) => void;
  /** Lets this process take up no row for so long, and puts back those that only wait in it. */
  restAlone: (ms: number) => void;
};

/** How a call ended for the row that wanted it; whatever only waits for another permit does so here. */
export type CallOutcome = Exclude<Ending, { again: 'new permit' }>;

/** `onward` where the row has gone on in the same step of the ledger: with what was prefetched of its next call. */
type Ending =
  | Exclude<Settled, { is: 'made' }>
  | (Extract<Settled, { is: 'made' }> & { onward?: { prefetched: PrefetchedCall | undefined } });

/** The next call of a row, prepared while the one before is settled: it is admitted, and perhaps claimed. */
export type PrefetchedCall = { request: CallRequest; admission: Admission; claim: Claim | undefined };

/** How a row moves once its call was made, and its next call; no `next` if it may not make that call at once. */
export type RowOnward = (made: { id: string; record: CallRecord }) => {
  moving: Moving;
  next: { request: () => CallRequest } | undefined;
};

/** Who alone is put off asks again at this pace: its thirty times are over within some seconds, and cost next to nothing. */
const PUT_OFF_WAIT_MS = 100;
/** Credentials are a person's work: look again at a person's speed, yet soon after they are right. */
const CREDENTIALS_WAIT_MS = 4_000;

/** What keeps this process alone from sending is looked at again so soon. */
const HERE_WAIT_MS = 4_000;

/** So many calls a second were accepted within the last seconds: the credentials are this process' own, as those of others are taken. */
const OTHERS_PASS_PER_S = 0.05;
/** Long, since each look takes a permit of theirs, and rows that they could send. */
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
 * bad credentials are no outcomes for the row: all calls wait for their end, and this one waits for another permit.
 *
 * @param isCarried whether the row was carried here from an earlier step: it waits behind no tripped breaker then, and this rejects with `STOPPED`
 */
export async function callOnce(
  request: CallRequest,
  deps: CallDeps,
  {
    prefetched,
    onward,
    isCarried = false,
  }: { prefetched?: PrefetchedCall | undefined; onward?: RowOnward; isCarried?: boolean } = {},
): Promise<CallOutcome> {
  const unauthorized = takeSuspect(request, deps);
  let given = prefetched;
  let isAlone = false;
  for (;;) {
    if (isAlone) await waitFor(PUT_OFF_WAIT_MS, deps.stopping);
    await unauthorized.pause(deps.stopping);
    if (isCarried && !given && deps.breakers.isTripped(request.kind)) throw breakerTripped();
    const admission = given?.admission ?? (await waitForAdmission(request.kind, () => tryToken(request, deps), deps));
    const admitted: Admitted = { admission, isAlone, unauthorized, onward };
    const outcome = await callAdmitted(request, admitted, given?.claim, deps).finally(admission.end);
    given = undefined;
    // Its outcome was unknown until now: other rows may be held for that, and go on.
    if ('wasUnknown' in outcome && outcome.wasUnknown) await deps.freeHeld(request);
    if (outcome.is !== 'later' || outcome.again !== 'new permit') return outcome;
    const asideMs = unauthorized.stepAside();
    if (asideMs > 0) {
      deps.suspects.set(nameOf(request), unauthorized);
      return { is: 'later', again: asideMs, reason: outcome.reason };
    }
    isAlone = (outcome.putOffs ?? 0) > 0;
  }
}

/** What an admitted call goes by besides: whether it alone is put off while others pass, and what its 401s have said so far. */
type Admitted = { admission: Admission; isAlone: boolean; unauthorized: Unauthorized; onward: RowOnward | undefined };

/**
 * Token, claim, send, settle: the one place where something is sent. A permit that expired while this waited for its token
 * or its claim is given up under a ceiling.
 */
async function callAdmitted(
  request: CallRequest,
  admitted: Admitted,
  claimed: Claim | undefined,
  deps: CallDeps,
): Promise<Ending> {
  try {
    const claim = claimed ?? (await claimAdmitted(request, admitted, deps));
    if (claim.is !== 'go') return claim;
    const sent = await sendClaimed(claim.first, request, admitted, deps).catch(claim.giveBack);
    const outcome = await settle(claim, sent, admitted, deps);
    await admitted.unauthorized.renew(deps.stopping);
    return outcome;
  } catch (error) {
    if (isLimitlineError(error, 'OLDER')) deps.onCommonFault(error);
    if (isLimitlineError(error, 'FILE'))
      await deps.breakers.ours(request.kind, error.message, admitted.admission.probe).catch(() => {});
    if (isLimitlineError(error, 'OLDER', 'FILE')) return waitHere(error, deps);
    if (!isLimitlineError(error) || !STOPS_ALL_CALLS.has(error.code)) throw error;
    if (error.code !== 'CREDENTIALS') {
      await stopAllCalls(error, admitted.admission.episode, deps);
      return needsPermit(error.message);
    }
    deps.onCommonFault(error);
    const { flowPerS } = await deps.pace.look();
    if (flowPerS >= OTHERS_PASS_PER_S) deps.restAlone(OWN_CREDENTIALS_REST_MS);
    else await stopAllCalls(error, admitted.admission.episode, deps);
    return { is: 'later', again: ASIDE_MS, reason: error.message };
  }
}

async function claimAdmitted(
  request: CallRequest,
  { admission, unauthorized }: Admitted,
  deps: CallDeps,
): Promise<Claim | Settled> {
  await unauthorized.freshen(deps.stopping);
  if (!deps.service.isAuthorized()) {
    await orStopped(
      deps.service.authorize(() => countTokenCall(request, deps)),
      deps.stopping,
    );
  }
  if (admission.isLost()) return needsPermit('the permit expired while the token was fetched');
  if (admission.wasTripped()) return needsPermit('the outcome of such calls is unknown for now');
  await deps.atMostOnce.mayLeave();
  return deps.atMostOnce.claim(request, deps.onUnknown[request.kind]);
}

/** Sends what was claimed, unless its moment has passed meanwhile. Rejects only where nothing was made. */
async function sendClaimed(first: string, request: CallRequest, admitted: Admitted, deps: CallDeps): Promise<Sent> {
  const { admission, unauthorized } = admitted;
  if (admission.wasTripped()) return unsent('its circuit breaker was tripped while it was claimed');
  // Those that wait for the next token with their claims would leave together.
  if (!deps.service.isAuthorized()) return unsent('its token died while it was claimed');
  await deps.atMostOnce.mayLeave();
  if (!admission.leave()) return unsent('the permit expired while it was claimed');
  const sentAtMs = performance.now();
  const onTokenCall = () => countTokenCall(request, deps);
  const answer = await sendRequest(request, { idempotencyKey: `limitline-${first}`, onTokenCall }, deps.service);
  await passOn(answer, request, { ...admission, isAlone: admitted.isAlone, sentAtMs }, deps);
  // Nothing was made, and the ledger hears of it once it is clear whose fault it is.
  return answer.is === 'unauthorized' ? unauthorized.judge(answer, sentAtMs) : answer;
}

/**
 * Writes down what became of the call. Where it was made, its row goes on in the same step; and where nothing has to be waited for by the next
 * call at this moment, that is claimed in it, too.
 */
async function settle(claim: Claim, sent: Sent, admitted: Admitted, deps: CallDeps): Promise<Ending> {
  const ahead = sent.is === 'made' ? lookAhead(sent, admitted, deps) : undefined;
  admitted.admission.leaveSlot();
  let isPrefetched = false;
  try {
    const ended = await claim.settle(
      sent,
      ahead && {
        moving: ahead.moving,
        next: ahead.next?.request,
        onUnknown: ahead.next ? deps.onUnknown[ahead.next.request.kind] : 'hold',
      },
    );
    if (!('onward' in ended)) return ended;
    isPrefetched = ahead?.next !== undefined;
    return { ...ended, onward: { prefetched: ahead?.next && { ...ahead.next, claim: ended.onward.claim } } };
  } finally {
    if (!isPrefetched) await ahead?.next?.admission.end();
  }
}

/**
 * How the row goes on, and what it may have of its next call without waiting. Whatever fails here is met again where the row stands then:
 * what was made is written down in any case.
 */
function lookAhead(
  made: Extract<Sent, { is: 'made' }>,
  { admission, onward }: Admitted,
  { service, log }: CallDeps,
): { moving: Moving; next?: Omit<PrefetchedCall, 'claim'> } | undefined {
  try {
    const onwards = onward?.(made);
    if (!onwards) return undefined;
    const { moving, next } = onwards;
    const request = next && service.isAuthorized() ? next.request() : undefined;
    const ahead = request && admission.admitNext(request.kind);
    return { moving, ...(request && ahead ? { next: { request, admission: ahead } } : {}) };
  } catch (error) {
    log.debug({ reason: messageOf(error) }, 'what follows a call that was made is looked at once more');
    return undefined;
  }
}

/** Who waits behind a tripped breaker in another step's job keeps the rows of that step from going. */
function breakerTripped(): LimitlineError {
  return new LimitlineError(
    'STOPPED',
    'The circuit breaker of its calls is tripped; the row stands in the queue before it.',
  );
}

/** This process may send nothing: its calls wait for it to end, or for its data folder. Those of others go on. */
async function waitHere(error: Error, { log, stopping }: CallDeps): Promise<Ending> {
  log.warn({ reason: error.message }, 'nothing is sent by this process');
  await waitFor(HERE_WAIT_MS, stopping);
  return needsPermit(error.message);
}

function needsPermit(reason: string): Settled {
  return { is: 'later', again: 'new permit', reason };
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

function takeSuspect(request: CallRequest, deps: CallDeps): Unauthorized {
  const suspect = deps.suspects.get(nameOf(request));
  deps.suspects.delete(nameOf(request));
  return suspect ?? makeUnauthorized({ ...request, onTokenCall: () => countTokenCall(request, deps) }, deps);
}

/**
 * The call that makes nothing, before one that may: whether there is a token. What else it brings is no fault of the
 * settings while a breaker is tripped, since an outage answers whatever it likes.
 */
async function tryToken(request: CallRequest, deps: CallDeps): Promise<boolean> {
  try {
    await orStopped(
      deps.service.tryToken(() => countTokenCall(request, deps)),
      deps.stopping,
    );
    return true;
  } catch (error) {
    deps.log.debug({ reason: messageOf(error) }, 'no token either');
    await deps.pace.obey(headersOf(error)).catch(() => {});
    return false;
  }
}

function countTokenCall(request: CallRequest, { portfolios, log }: CallDeps): void {
  portfolios.count(request.row.portfolio, 'token').catch((error) => {
    log.warn({ reason: messageOf(error) }, 'a token call could not be counted');
  });
}
