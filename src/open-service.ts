import { type CallKind, eachKind } from './call-kind.ts';
import { idempotencyOf, onUnknownOf, type UnknownPolicy } from './config.ts';
import type { Context } from './context.ts';
import { loginOf } from './ledger/schema/keys.ts';
import { readTripped } from './pace/breaker-words.ts';
import { makeBreakers } from './pace/breakers.ts';
import { makePace } from './pace/pace.ts';
import type { PaceState } from './pace/pace-words.ts';
import { busyPerS } from './pace/samples.ts';
import { makeSlots } from './pace/slots.ts';
import { chooseProxy } from './proxy.ts';
import { makeServiceClient } from './service/client.ts';
import { sessionOf } from './service/session-file.ts';

export type Service = ReturnType<typeof openService>;

/** The service's client, and what limits this process' use of it: the fleet's pace and the calls in flight. */
export function openService(context: Context, url: string) {
  const { settings, ledger, keys, log } = context;
  const client = makeServiceClient({
    url,
    clientId: settings.SERVICE_CLIENT_ID,
    clientSecret: settings.SERVICE_CLIENT_SECRET,
    tokenField: settings.SERVICE_TOKEN_FIELD,
    tokenLifetimeMs: settings.SERVICE_TOKEN_LIFETIME_S * 1_000,
    connections: settings.SERVICE_CONCURRENCY,
    // The stand-in runs in this process, without a proxy.
    proxy: settings.SERVICE_URL === undefined ? undefined : chooseProxy(url, settings),
    timeoutMs: settings.SERVICE_TIMEOUT_MS,
    idempotencyHeader: settings.SERVICE_IDEMPOTENCY_HEADER,
    notMade: settings.SERVICE_NOT_MADE,
    answerCheck: settings.SERVICE_ANSWER_CHECK,
    connection: ledger,
    tokenKey: keys.token(loginOf({ url, clientId: settings.SERVICE_CLIENT_ID })),
  });
  // The service recognizes a repetition by the idempotency header, so nothing needs to be held.
  const onUnknown: Record<CallKind, UnknownPolicy> = idempotencyOf(settings)
    ? eachKind(() => 'repeat')
    : onUnknownOf(settings);
  const pace = makePace({ connection: ledger, key: keys.pace, ceilingPerS: settings.SERVICE_RATE_PER_S, log });
  const breakers = makeBreakers({ connection: ledger, key: keys.breakers, log });
  return {
    client,
    /** The call for a hosted session; undefined if no file describes it. */
    session: sessionOf(settings.SERVICE_SESSION_FILE),
    pace,
    breakers,
    /** The reasons that hold calls back, as this process last saw them: the pace, tripped breakers and paused queues. */
    paceNow: (): PaceState => ({ ...pace.state(), tripped: breakers.tripped(), paused: context.queues.pausedSeen() }),
    slots: makeSlots(settings.SERVICE_CONCURRENCY),
    onUnknown,
  };
}

/** The pace before anything was sent. */
const NO_PACE: PaceState = {
  phase: 'start',
  ratePerS: 0,
  flowPerS: 0,
  isLimiting: false,
  atCeiling: false,
  blocked: undefined,
};

/**
 * The reasons that hold the fleet's calls back, read from Redis, for commands that make no calls. Undefined if there is neither a pace nor
 * a paused queue.
 */
export async function lookAtPace({ ledger, keys, queues, readPace }: Context): Promise<PaceState | undefined> {
  const [pace, tripped, paused] = await Promise.all([readPace(), readTripped(ledger, keys.breakers), queues.paused()]);
  if (pace === undefined && paused.length === 0) return undefined;
  return { ...(pace ?? NO_PACE), tripped, paused };
}

/** A lower measured rate of calls counts as none: it is only what remains of a mean that fades to 0. */
const LEAST_FLOW_PER_S = 0.1;

/**
 * The expected calls a second, at most SERVICE_RATE_PER_S. It is the learned pace; before the service limited any call, it is the rate of
 * the last calls, however long ago. Undefined if no rate is known, or while a circuit breaker is tripped.
 */
export async function knownRate(context: Context): Promise<number | undefined> {
  const [pace, samples] = await Promise.all([lookAtPace(context), context.paceSamples.read()]);
  const ceilingPerS = context.settings.SERVICE_RATE_PER_S;
  if ((pace?.tripped?.length ?? 0) > 0) return undefined;
  const isLearned = pace !== undefined && pace.phase !== 'start';
  const ratePerS = isLearned ? pace.ratePerS : (busyPerS(samples) ?? pace?.flowPerS ?? 0);
  if (!isLearned && ratePerS < LEAST_FLOW_PER_S) return ceilingPerS;
  return Math.min(ratePerS, ceilingPerS ?? Number.POSITIVE_INFINITY);
}
