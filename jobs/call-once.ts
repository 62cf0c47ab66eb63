import type { UnknownPolicy } from '../src/config.ts';
import { isLimitlineError, messageOf } from '../src/errors.ts';
import type { Ending, Once } from '../src/ledger/at-most-once.ts';
import type { CallKind } from '../src/ledger/keys.ts';
import type { Portfolios } from '../src/ledger/portfolios.ts';
import type { RowId } from '../src/ledger/row-id.ts';
import type { Log } from '../src/log.ts';
import type { Pace } from '../src/pace/pace.ts';
import type { Slots } from '../src/pace/slots.ts';
import type { Taken } from '../src/pace/turnstile.ts';
import type { CallOptions, ServiceClient } from '../src/service/client.ts';
import type { Answer } from '../src/service/meaning.ts';

/** What it takes to make a call. */
export type CallDeps = {
  portfolios: Portfolios;
  once: Once;
  service: ServiceClient;
  pace: Pace;
  slots: Slots;
  onUnknown: Readonly<Record<CallKind, UnknownPolicy>>;
  log: Log;
  /** Aborted when the process stops: no new call starts from then on. */
  stopping: AbortSignal;
  /** Hears of a fault that every row would meet, such as refused credentials. */
  onLineFault: (error: Error) => void;
};

/**
 * How a call ended for its row; `wait` says that it has not, and when to come back, `moved` that the row was given up or
 * got other words, so that nothing was sent for these.
 */
export type CallEnd =
  | Extract<Ending, { is: 'made' | 'refused' | 'unknown' | 'put off' }>
  | { is: 'wait'; waitMs: number }
  | { is: 'moved' };

/** Somebody else is sending the same call: they are done within a call's time, so look again soon. */
const BUSY_WAIT_MS = 150;
/** A paused portfolio's jobs look again this often; `resume` is noticed within it. */
const PAUSED_WAIT_MS = 3_000;
/** Credentials are a person's work: look again at a person's speed, yet soon after they are right. */
const CREDENTIALS_WAIT_MS = 4_000;

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
  send: (call: CallOptions) => Promise<Answer>;
};

type Turn = Extract<Taken, { is: 'turn' }>;

/**
 * Makes one call of a step: waits for a slot and a turn, gets a token, and goes through the ledger. Throttling, outages
 * and bad credentials are not endings: they stop the line for everybody, and this call waits with it. A turn that went
 * by unused is given up, but only once: a process that is always late must still get on.
 */
export async function callOnce(wish: Wish, deps: CallDeps): Promise<CallEnd> {
  for (let mayBeLate = false; ; mayBeLate = true) {
    const giveSlotBack = await deps.slots.take(deps.stopping);
    try {
      const turn = await deps.pace.take(deps.stopping);
      if (turn.is === 'later') return { is: 'wait', waitMs: turn.waitMs };
      const ending = await callInTurn(wish, { ...turn, isLate: () => !mayBeLate && turn.isLate() }, deps);
      switch (ending.is) {
        case 'cancelled':
        case 'changed':
          return { is: 'moved' };
        case 'paused':
          return { is: 'wait', waitMs: PAUSED_WAIT_MS };
        case 'busy':
          return { is: 'wait', waitMs: BUSY_WAIT_MS };
        case 'later':
          if (ending.waitMs !== undefined) return { is: 'wait', waitMs: ending.waitMs };
          break;
        default:
          return ending;
      }
    } finally {
      giveSlotBack();
    }
  }
}

async function callInTurn(wish: Wish, { episode, isLate }: Turn, deps: CallDeps): Promise<Ending> {
  const onTokenCall = () => {
    deps.portfolios.count(wish.row.portfolio, 'token').catch((error) => {
      deps.log.warn({ reason: messageOf(error) }, 'a token call could not be counted');
    });
  };
  try {
    await deps.service.authorize(onTokenCall);
    if (isLate()) return { is: 'later', heard: 'the turn went by while the token was got' };
    return await deps.once(wish, {
      onUnknown: deps.onUnknown[wish.kind],
      send: async (first) => {
        if (isLate()) return { meaning: 'unreachable', heard: 'the turn went by while it was claimed' };
        const sentAtMs = performance.now();
        const answer = await wish.send({ idempotencyKey: `limitline-${first}`, onTokenCall });
        // A document's time is its size's, and an answer that nobody waited for says nothing of the service's load.
        if (answer.meaning === 'made' && wish.kind !== 'document') {
          deps.slots.answeredAfter(performance.now() - sentAtMs, wish.kind);
        }
        // A throw from here would say that nothing was sent, and what was made would be made again. So whatever becomes
        // of the pace, the answer goes to the ledger.
        await tellPace(answer, episode, deps).catch((error) => {
          deps.log.warn({ reason: messageOf(error) }, 'the pace could not be told of an answer');
        });
        return answer;
      },
    });
  } catch (error) {
    if (!isLimitlineError(error, 'CREDENTIALS') && !isLimitlineError(error, 'SERVICE')) throw error;
    const credentials = error.code === 'CREDENTIALS';
    if (credentials) deps.onLineFault(error);
    const askedMs = credentials ? CREDENTIALS_WAIT_MS : 0;
    await deps.pace.block({ why: error.message, because: 'outage', askedMs, episode }).catch(() => {});
    return { is: 'later', heard: error.message };
  }
}

/** Tells the pace what an answer says of it: slow down, nobody there, or all well. */
async function tellPace(answer: Answer, episode: number, { pace }: CallDeps): Promise<void> {
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
      return;
    default:
      return pace.answered(answer.headers);
  }
}
