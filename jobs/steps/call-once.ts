import type { UnknownPolicy } from '../../src/config.ts';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import type { Ending, Once, Sent } from '../../src/ledger/at-most-once.ts';
import type { CallKind } from '../../src/ledger/keys.ts';
import type { Portfolios } from '../../src/ledger/portfolios.ts';
import type { RowId } from '../../src/ledger/row-id.ts';
import type { Log } from '../../src/log.ts';
import type { Trial } from '../../src/pace/door-trials.ts';
import type { Doors } from '../../src/pace/doors.ts';
import type { Pace } from '../../src/pace/pace.ts';
import type { Slots } from '../../src/pace/slots.ts';
import type { Turn } from '../../src/pace/turn-queue.ts';
import type { Answered, CallOptions, ServiceClient } from '../../src/service/client.ts';
import { headersOf } from '../../src/service/token-call.ts';
import { makeUnauthorized, type Unauthorized } from './unauthorized.ts';
import { orStopped, waitFor } from './wait-for.ts';

/** What it takes to make a call. */
export type CallDeps = {
  portfolios: Portfolios;
  once: Once;
  service: ServiceClient;
  pace: Pace;
  doors: Doors;
  slots: Slots;
  onUnknown: Readonly<Record<CallKind, UnknownPolicy>>;
  /** What is known of the 401s of rows that have stepped aside, by the name of their call. */
  suspects: Map<string, Unauthorized>;
  /** Lets rows go on that are held for calls of which nobody is in doubt any more. */
  freeHeld: () => Promise<unknown>;
  log: Log;
  /** Aborted when the process stops, or rests while the line waits: no new call starts from then on. */
  stopping: AbortSignal;
  /** Hears of a fault that every row would meet, such as refused credentials. */
  onLineFault: (error: Error) => void;
};

/**
 * How a call ended for its row; `wait` says that it has not, and when to come back, `paused` that nothing is to be done
 * until the portfolio is resumed, `moved` that the row was given up or got other words, so that nothing was sent for these.
 */
export type CallEnd =
  | Extract<Ending, { is: 'made' | 'other' | 'refused' | 'unknown' | 'put off' }>
  | { is: 'wait'; waitMs: number }
  | { is: 'paused' }
  | { is: 'moved' };

/** Somebody else is sending the same call: they are done within a call's time, so look again soon. */
const BUSY_WAIT_MS = 150;
/** Who alone is put off asks again at this pace: its thirty times are over within some seconds, and cost next to nothing. */
const PUT_OFF_WAIT_MS = 100;
/** Credentials are a person's work: look again at a person's speed, yet soon after they are right. */
const CREDENTIALS_WAIT_MS = 4_000;

/** What every row would meet: credentials that are refused, no token to be had, replicas that do not confirm a claim. */
const STOPS_THE_LINE: ReadonlySet<string> = new Set(['CREDENTIALS', 'SERVICE', 'REDIS']);

/** One thing that a step wants made at the service. */
export type Wish = {
  kind: CallKind;
  key: string;
  row: RowId;
  /** Of the row's words, where there is a row. */
  revision?: string;
  buyer: string;
  /** What is sent, for a person who must find out what became of it, and by which a repetition is known. */
  sent: string;
  /** What the line asked for, where that is what may not change. */
  asked?: string;
  send: (call: CallOptions) => Promise<Answered>;
};

/**
 * What a call goes through with: its turn, whether it alone is put off while others pass, the trial that it is, if it is
 * one, and what its 401s have said so far.
 */
type Passage = Turn & { isAlone: boolean; trial: Trial | undefined; unauthorized: Unauthorized };

/**
 * Makes one call of a step: waits for its door, a slot and a turn, gets a token, and goes through the ledger. Throttling,
 * outages and bad credentials are not endings: they stop the line for everybody, and this call waits with it. A turn that
 * went by unused while it waited for a token or its claim is given up under a ceiling, and it waits for another.
 */
export async function callOnce(wish: Wish, deps: CallDeps): Promise<CallEnd> {
  const unauthorized = takeSuspect(wish, deps);
  let isAlone = false;
  let asideMs = 0;
  for (;;) {
    if (isAlone) await waitFor(PUT_OFF_WAIT_MS, deps.stopping);
    await unauthorized.pause(deps.stopping);
    const trial = await deps.doors.enter(wish.kind, {
      signal: deps.stopping,
      tryToken: () => tryToken(wish, deps),
      waitMs: () => (deps.pace.state().blocked?.untilMs ?? 0) - Date.now(),
    });
    const giveSlotBack = await deps.slots.take(deps.stopping).catch((error) => giveUp(trial, error));
    try {
      const turn = await deps.pace.take(deps.stopping);
      const ending = await callInTurn(wish, { ...turn, isAlone, trial, unauthorized }, deps);
      switch (ending.is) {
        case 'cancelled':
        case 'changed':
          return { is: 'moved' };
        case 'paused':
          return { is: 'paused' };
        case 'busy':
          return { is: 'wait', waitMs: BUSY_WAIT_MS };
        case 'later':
          // Nothing was made, which others are held for since this process was taken for vanished.
          if (ending.late) await deps.freeHeld();
          if (ending.waitMs !== undefined) return { is: 'wait', waitMs: ending.waitMs };
          asideMs = unauthorized.stepAside();
          if (asideMs > 0) {
            deps.suspects.set(nameOf(wish), unauthorized);
            return { is: 'wait', waitMs: asideMs };
          }
          isAlone = ending.putOffs !== undefined;
          break;
        default:
          // Other rows may be held for what has become known only now.
          if ('late' in ending && ending.late) await deps.freeHeld();
          return ending;
      }
    } finally {
      giveSlotBack();
      await trial?.giveBack();
    }
  }
}

const nameOf = ({ kind, key }: Wish): string => `${kind} ${key}`;

function takeSuspect(wish: Wish, deps: CallDeps): Unauthorized {
  const suspect = deps.suspects.get(nameOf(wish));
  deps.suspects.delete(nameOf(wish));
  return suspect ?? makeUnauthorized({ ...wish, onTokenCall: () => countTokenCall(wish, deps) }, deps);
}

async function giveUp(trial: Trial | undefined, error: unknown): Promise<never> {
  await trial?.giveBack();
  throw error;
}

async function callInTurn(wish: Wish, passage: Passage, deps: CallDeps): Promise<Ending> {
  const { trial, episode, isLost, unauthorized } = passage;
  // The door may have been shut while this call waited for its slot or its turn.
  const isKeptIn = () => trial === undefined && deps.doors.isShut(wish.kind);
  try {
    await orStopped(
      deps.service.authorize(() => countTokenCall(wish, deps)),
      deps.stopping,
    );
    if (isLost()) return { is: 'later', heard: 'the turn went by while the token was got' };
    if (isKeptIn()) return { is: 'later', heard: 'the outcome of such calls is unknown for now' };
    const ending = await deps.once(wish, {
      onUnknown: deps.onUnknown[wish.kind],
      send: async (first) => {
        if (isKeptIn()) return { meaning: 'unreachable', heard: 'its door was shut while it was claimed' };
        // Those that wait for the next one with their claims would leave together.
        if (!deps.service.isAuthorized())
          return { meaning: 'unreachable', heard: 'its token died while it was claimed' };
        if (!passage.leave()) return { meaning: 'unreachable', heard: 'the turn went by while it was claimed' };
        return sendInTurn(first, wish, passage, deps);
      },
    });
    await unauthorized.renew(deps.stopping);
    return ending;
  } catch (error) {
    if (!isLimitlineError(error) || !STOPS_THE_LINE.has(error.code)) throw error;
    const credentials = error.code === 'CREDENTIALS';
    if (credentials) deps.onLineFault(error);
    const askedMs = credentials ? CREDENTIALS_WAIT_MS : 0;
    const headers = headersOf(error);
    await deps.pace.block({ why: error.message, because: 'outage', askedMs, headers, episode }).catch(() => {});
    return { is: 'later', heard: error.message };
  }
}

async function sendInTurn(first: string, wish: Wish, passage: Passage, deps: CallDeps): Promise<Sent> {
  const sentAtMs = performance.now();
  const onTokenCall = () => countTokenCall(wish, deps);
  const answer = await wish.send({ idempotencyKey: `limitline-${first}`, onTokenCall });
  // A document's time is its size's, and an answer that nobody waited for says nothing of the service's load.
  if (answer.meaning === 'made' && wish.kind !== 'document') {
    deps.slots.answeredAfter(performance.now() - sentAtMs, wish.kind);
  }
  // At once, since telling the others takes a while on a busy machine.
  if (answer.meaning === 'unknown') deps.slots.failed(false);
  // A throw from here would say that nothing was sent, and what was made would be made again. So whatever becomes
  // of the pace and the doors, the answer goes to the ledger.
  const warn = (error: unknown) => {
    deps.log.warn({ reason: messageOf(error) }, 'the pace could not be told of an answer');
  };
  // Where others pass, being put off says something of this row and nothing of the service's limit.
  const saysNothing = passage.isAlone && answer.meaning === 'throttled';
  await (saysNothing ? deps.pace.obey(answer.headers) : tellPace(answer, passage.episode, deps)).catch(warn);
  await tellDoors(answer, sentAtMs, wish, passage.trial, deps).catch(warn);
  // Nothing was made, and the ledger hears of it once it is clear whose fault it is.
  return answer.meaning === 'unauthorized' ? passage.unauthorized.judge(answer, sentAtMs) : answer;
}

/** Tells the pace what an answer says of it: slow down, nobody there, or all well. */
async function tellPace(answer: Answered, episode: number, { pace }: CallDeps): Promise<void> {
  switch (answer.meaning) {
    case 'throttled': {
      const { status, headers } = answer;
      if (status === 429) return pace.block({ why: 'the service says too fast', because: 'limit', headers, episode });
      const why = `the service is not available (status ${status})`;
      return pace.block({ why, because: 'outage', headers, episode });
    }
    case 'unreachable':
      return pace.block({ why: `the service is not answering (${answer.heard})`, because: 'outage', episode });
    case 'unknown':
    case 'unauthorized':
      return pace.obey(answer.headers);
    default:
      return pace.answered(answer.headers);
  }
}

/** Tells the doors whether it is known what became of the call, and so whether more of its kind may follow. */
async function tellDoors(
  answer: Answered,
  sentAtMs: number,
  { kind }: Wish,
  trial: Trial | undefined,
  { doors, slots }: CallDeps,
): Promise<void> {
  switch (answer.meaning) {
    case 'made':
      return doors.known(kind, { token: answer.token, sentAtMs }, trial);
    case 'refused':
      return doors.known(kind, undefined, trial);
    case 'unknown':
      await doors.unknown(kind, answer.why, trial);
      // A service that fails under load is not to meet all of it again as soon as its door opens.
      if (doors.isShut(kind)) slots.failed(true);
      return;
    default:
      return;
  }
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
