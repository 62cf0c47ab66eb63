import type { CallKind, CallRecord, Sent, Settled } from '../../src/call-kind.ts';
import type { UnknownPolicy } from '../../src/config.ts';
import { isLimitlineError, LimitlineError, messageOf } from '../../src/errors.ts';
import type { AtMostOnce, Claim } from '../../src/ledger/calls/at-most-once.ts';
import type { Moving } from '../../src/ledger/calls/batches.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Log } from '../../src/log.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { headersOf } from '../../src/service/token-call.ts';
import { type Admission, type AdmissionDeps, waitForAdmission } from './admission.ts';
import { type CallRequest, nameOf, sendRequest } from './call-request.ts';
import { passOn } from './pass-on.ts';
import { makeUnauthorized, type Unauthorized } from './unauthorized.ts';
import { orStopped, waitFor } from './wait-for.ts';

/** What {@link callOnce} needs. */
export type CallDeps = AdmissionDeps & {
  portfolios: Portfolios;
  atMostOnce: AtMostOnce;
  service: ServiceClient;
  onUnknown: Readonly<Record<CallKind, UnknownPolicy>>;
  /** The 401 responses so far to calls whose rows gave their workers to other rows, by the call's {@link nameOf}. */
  suspects: Map<string, Unauthorized>;
  /** Requeues the rows that are held for this call, whose outcome is known now. */
  freeHeld: (known: Pick<CallRequest, 'kind' | 'key' | 'buyer'>) => Promise<unknown>;
  log: Log;
  /** Called with an error that every row would meet, such as refused credentials. */
  onCommonFault: (error: Error) => void;
  /** This process takes up no row for `ms` milliseconds, and rows that only wait in it go back to their queues. */
  restAlone: (ms: number) => void;
};

/** How a call ended for its row. Needing a new permit is no end: {@link callOnce} waits for one. */
export type CallEnding = Exclude<Ending, { again: 'new permit' }>;

/** How a call ended. `moved`: the same script also moved the row on. `prepared`: the row's next call, if there is one. */
type Ending =
  | Exclude<Settled, { is: 'made' }>
  | (Extract<Settled, { is: 'made' }> & { moved?: { prepared: PreparedCall | undefined } });

/** The next call of a row, prepared while the call before it is settled: admitted, and perhaps claimed. */
export type PreparedCall = { request: CallRequest; admission: Admission; claim: Claim | undefined };

/** How a row moves once its call was made, and its next call. No `next` if the row may not make that call at once. */
export type MoveAfterCall = (made: { id: string; record: CallRecord }) => {
  moving: Moving;
  next: { request: () => CallRequest } | undefined;
};

/** The wait before a call that alone is throttled, while others pass, is sent again. Its 30 attempts take some seconds and cost little. */
const PUT_OFF_WAIT_MS = 100;
/**
 * How long all calls wait after refused credentials. A person has to correct these, so the wait is long; it is short enough to notice soon
 * that they work.
 */
const CREDENTIALS_WAIT_MS = 4_000;

/** The wait after a fault that keeps only this process from sending, such as an unusable data folder. */
const HERE_WAIT_MS = 4_000;

/** The fleet's accepted calls per second from which refused credentials are those of this process alone, because calls of others pass. */
const OTHERS_PASS_PER_S = 0.05;
/** How long a process with wrong credentials rests. Each of its attempts takes a permit and a row from processes whose credentials work. */
const OWN_CREDENTIALS_REST_MS = 8_000;
/** A row waits this long after refused credentials, so that a process with other credentials may take it up. */
const ASIDE_MS = 1_000;

/**
 * Errors that every row would meet, by code: refused credentials, no token, a claim that replicas do not confirm, a Redis that is nearly
 * full.
 */
const STOPS_ALL_CALLS: ReadonlyMap<string, 'credentials' | 'outage' | 'replicas' | 'memory'> = new Map([
  ['CREDENTIALS', 'credentials'],
  ['SERVICE', 'outage'],
  ['REDIS', 'replicas'],
  ['FULL', 'memory'],
]);

/**
 * Makes one call of a step, at most once: waits for admission, then claims, sends and settles. Throttling, outages and bad credentials do
 * not end the row: all calls wait until they are over, then this call gets another permit.
 *
 * @param isCarried whether the row came here from an earlier step. Then it does not wait behind a tripped breaker: this rejects with
 *   `STOPPED`
 */
export async function callOnce(
  request: CallRequest,
  deps: CallDeps,
  asked: { prepared?: PreparedCall | undefined; moveAfter?: MoveAfterCall; isCarried?: boolean } = {},
): Promise<CallEnding> {
  const { prepared, moveAfter, isCarried = false } = asked;
  const unauthorized = takeSuspect(request, deps);
  let given = prepared;
  let isAlone = false;
  for (;;) {
    if (isAlone) await waitFor(PUT_OFF_WAIT_MS, deps.stopping);
    await unauthorized.pause(deps.stopping);
    if (isCarried && !given && deps.breakers.isTripped(request.kind)) throw breakerTripped();
    const admission = given?.admission ?? (await waitForAdmission(request.kind, () => tryToken(request, deps), deps));
    const admitted: Admitted = { admission, isAlone, unauthorized, moveAfter };
    const outcome = await callAdmitted(request, admitted, given?.claim, deps).finally(admission.end);
    given = undefined;
    // Other rows may be held for this outcome, which had been unknown.
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

/** An admitted call's state: whether it alone is throttled while others pass (`isAlone`), and its 401 responses so far. */
type Admitted = {
  admission: Admission;
  isAlone: boolean;
  unauthorized: Unauthorized;
  moveAfter: MoveAfterCall | undefined;
};

/** Token, claim, send, settle: the only place that sends. A permit that expires before the send is given up. */
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

/** Sends a claimed call, unless its breaker has tripped or its token or permit has expired. Rejects only if nothing was made. */
async function sendClaimed(first: string, request: CallRequest, admitted: Admitted, deps: CallDeps): Promise<Sent> {
  const { admission, unauthorized } = admitted;
  if (admission.wasTripped()) return unsent('the circuit breaker was tripped while the call was claimed');
  // The claim is given back. If claimed calls waited for the next token, all of them would leave at once.
  if (!deps.service.isAuthorized()) return unsent('the token expired while the call was claimed');
  await deps.atMostOnce.mayLeave();
  if (!admission.leave()) return unsent('the permit expired while the call was claimed');
  const sentAtMs = performance.now();
  const onTokenCall = () => countTokenCall(request, deps);
  const answer = await sendRequest(request, { idempotencyKey: `limitline-${first}`, onTokenCall }, deps.service);
  await passOn(answer, request, { ...admission, isAlone: admitted.isAlone, sentAtMs }, deps);
  // A 401 made nothing. The claim is settled when it is clear whether the call or the credentials are at fault.
  return answer.is === 'unauthorized' ? unauthorized.judge(answer, sentAtMs) : answer;
}

/**
 * Writes the call's outcome into the ledger. If the thing was made, the same script moves the row on. It also claims the row's next call if
 * that need not wait.
 */
async function settle(claim: Claim, sent: Sent, admitted: Admitted, deps: CallDeps): Promise<Ending> {
  const ahead = sent.is === 'made' ? lookAhead(sent, admitted, deps) : undefined;
  admitted.admission.leaveSlot();
  let isPrepared = false;
  try {
    const ended = await claim.settle(
      sent,
      ahead && {
        moving: ahead.moving,
        next: ahead.next?.request,
        onUnknown: ahead.next ? deps.onUnknown[ahead.next.request.kind] : 'hold',
      },
    );
    if (!('moved' in ended)) return ended;
    isPrepared = ahead?.next !== undefined;
    return { ...ended, moved: { prepared: ahead?.next && { ...ahead.next, claim: ended.moved.claim } } };
  } finally {
    if (!isPrepared) await ahead?.next?.admission.end();
  }
}

/**
 * How the row goes on, and its next call if that may leave now. Errors are dropped: the row meets them again at its next step, and the made
 * call must be written down in any case.
 */
function lookAhead(
  made: Extract<Sent, { is: 'made' }>,
  { admission, moveAfter }: Admitted,
  { service, log }: CallDeps,
): { moving: Moving; next?: Omit<PreparedCall, 'claim'> } | undefined {
  try {
    const move = moveAfter?.(made);
    if (!move) return undefined;
    const { moving, next } = move;
    const request = next && service.isAuthorized() ? next.request() : undefined;
    const ahead = request && admission.admitNext(request.kind);
    return { moving, ...(request && ahead ? { next: { request, admission: ahead } } : {}) };
  } catch (error) {
    log.debug({ reason: messageOf(error) }, 'the next call of a row could not be prepared; trying again');
    return undefined;
  }
}

/** Sends a row back to the queue of its step: waiting in another step's job, it would block that step's rows. */
function breakerTripped(): LimitlineError {
  const message = "The circuit breaker of the row's next call is tripped; the row goes back to its queue.";
  return new LimitlineError('STOPPED', message);
}

/** Waits after a fault that keeps only this process from sending, such as an unusable data folder. */
async function waitHere(error: Error, { log, stopping }: CallDeps): Promise<Ending> {
  log.warn({ reason: error.message }, 'nothing is sent by this process');
  await waitFor(HERE_WAIT_MS, stopping);
  return needsPermit(error.message);
}

const needsPermit = (reason: string): Settled => ({ is: 'later', again: 'new permit', reason });

const unsent = (reason: string): Sent => ({ is: 'unsent', reason });

/** Stops the calls of all processes, since each would meet this error. Now and then one call tries whether the error has passed. */
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
 * Whether there is a token. A token call makes nothing, so it goes before a probe. During an outage its errors say nothing about the
 * settings, so they are logged at debug level.
 */
async function tryToken(request: CallRequest, deps: CallDeps): Promise<boolean> {
  try {
    await orStopped(
      deps.service.tryToken(() => countTokenCall(request, deps)),
      deps.stopping,
    );
    return true;
  } catch (error) {
    deps.log.debug({ reason: messageOf(error) }, 'a token call before a probe failed');
    await deps.pace.obey(headersOf(error)).catch(() => {});
    return false;
  }
}

function countTokenCall(request: CallRequest, { portfolios, log }: CallDeps): void {
  portfolios.count(request.row.portfolio, 'token').catch((error) => {
    log.warn({ reason: messageOf(error) }, 'a token call could not be counted');
  });
}
