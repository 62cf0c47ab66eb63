import type { CallRecord, Sent, Settled } from '../../call-kind.ts';
import type { AnswerCheck, UnknownPolicy } from '../../config.ts';
import { messageOf } from '../../errors.ts';
import type { Attempts } from './attempts.ts';
import type { Moving } from './batches.ts';
import { type Calls, MOST_PUT_OFFS, type SettleAnswer } from './calls.ts';
import type { ClaimAnswer, Sendable } from './claim-answers.ts';
import type { SendMarks } from './send-marks.ts';

/** Further work for the script that settles a made call: it moves the call's row on, and claims the row's `next` call if that may leave now. */
export type AfterSettle = {
  moving: Moving;
  next: (Sendable & { buyer: string }) | undefined;
  onUnknown: UnknownPolicy;
};

/** The outcome of a settled call. `moved`: the same script moved the row on, and claimed the row's next call if there is a `claim`. */
export type Ended = Settled | (Extract<Settled, { is: 'made' }> & { moved: { claim: Claim | undefined } });

/** The right to send one call, once, now. Its owner must settle it in any case: until then the call stays claimed. */
export type Claim = {
  is: 'go';
  /**
   * Name of the first send of this content whose outcome is open or that made nothing. Equal for every repetition: the idempotency key uses
   * it.
   */
  first: string;
  /**
   * Writes what became of the call into the ledger, and returns what this means for the row. If the service made the thing, the same script
   * applies the move of `after` to the row. A row whose call is unusual is not moved.
   */
  settle: (sent: Sent, after?: AfterSettle) => Promise<Ended>;
  /** Settles a call that failed before it was sent, then rejects with that error. */
  giveBack: (error: unknown) => Promise<never>;
};

/**
 * The age at which a claim is too old to send its call. Its owner then claims again, since another process may take the owner for vanished,
 * such as after a blocked event loop. The age is half of the time after which a process counts as vanished.
 */
const CLAIM_FRESH_MS = 3_000;

/** How long a row waits while another process sends the same call: about the time of one call. */
const BUSY_WAIT_MS = 150;

export type AtMostOnce = ReturnType<typeof makeAtMostOnce>;

/**
 * The only way to send a call to the service, at most once for each thing: claim → send → settle. Nothing is sent without a claim. A claim
 * that is never settled is in doubt, and only a setting or a person lets it be sent again.
 */
export function makeAtMostOnce(asked: {
  calls: Calls;
  attempts: Attempts;
  marks?: SendMarks;
  /** Whether a row is held if its response has the id of another limit. */
  answerCheck?: AnswerCheck;
}) {
  const { calls, attempts, marks, answerCheck = 'hold' } = asked;
  /** The claim of an attempt whose ledger answer was "go". */
  const claimOf = (
    thing: Sendable & { buyer: string },
    owner: string,
    first: string,
    onUnknown: UnknownPolicy,
  ): Claim => {
    const settle = async (sent: Sent, after?: AfterSettle): Promise<Ended> => {
      const write = writer(sent, { calls, thing, owner, onUnknown, answerCheck });
      try {
        // If moving the row on fails, the made call is still written down alone; the row's job meets the error again.
        const goes = sent.is === 'made' && after ? settleAndGoOn(thing, owner, sent, after) : undefined;
        const gone = await goes?.catch(() => undefined);
        return gone ?? (await write());
      } finally {
        attempts.end(owner, write);
      }
    };
    const giveBack = async (error: unknown): Promise<never> => {
      await settle({ is: 'unsent', reason: messageOf(error) });
      throw error;
    };
    return { is: 'go', first, settle, giveBack };
  };

  /** Settles the call, moves its row on and claims the next call, in one script. The script stops at the first move that is unusual. */
  const settleAndGoOn = async (
    thing: Sendable & { buyer: string },
    owner: string,
    { id, record }: Extract<Sent, { is: 'made' }>,
    { moving, next, onUnknown }: AfterSettle,
  ): Promise<Ended> => {
    const nextClaim = next && { thing: next, owner: attempts.begin() };
    const askedAtMs = performance.now();
    let known: SettleAnswer | undefined;
    try {
      known = await calls.settle(thing, owner, { id, record, buyer: thing.buyer }, { moving, next: nextClaim });
    } finally {
      if (nextClaim && known?.went !== 'claimed')
        attempts.end(nextClaim.owner, () => calls.release(nextClaim.thing, nextClaim.owner, 'unsent'));
    }
    if (known.went === 'stayed') return heardOf(known, id, record, { calls, thing, owner, onUnknown, answerCheck });
    const claim =
      nextClaim && known.went === 'claimed'
        ? claimOf(nextClaim.thing, nextClaim.owner, known.first, onUnknown)
        : undefined;
    // A stale claim is given back, and the row claims its call again later.
    const isStale = performance.now() - askedAtMs > CLAIM_FRESH_MS;
    if (claim && isStale) await claim.settle({ is: 'unsent', reason: 'it took too long to claim it' });
    return { is: 'made', id, record, moved: { claim: isStale ? undefined : claim } };
  };

  return {
    /** Resolves when a claimed call may leave, which it must do at once. @throws as {@link SendMarks}`.ready` */
    mayLeave: async (): Promise<void> => marks?.ready(),

    /** Asks for the right to send a call. Without a claim, the result is the call's outcome without a send. */
    async claim(thing: Sendable & { buyer: string }, onUnknown: UnknownPolicy): Promise<Claim | Settled> {
      const owner = attempts.begin();
      let answer: ClaimAnswer | undefined;
      try {
        answer = await claimFresh(calls, thing, owner, onUnknown);
      } finally {
        if (answer?.is !== 'go') attempts.end(owner, () => calls.release(thing, owner, 'unsent'));
      }
      // Redis no longer has the mark that this process left there. The next send leaves a new one, and learns whether Redis was set back to an
      // older state (see SendMarks).
      if (answer.is === 'unmarked') marks?.expire();
      return answer.is === 'go' ? claimOf(thing, owner, answer.first, onUnknown) : withoutSending(answer);
    },
  };
}

async function claimFresh(
  calls: Calls,
  thing: Sendable,
  owner: string,
  onUnknown: UnknownPolicy,
): Promise<ClaimAnswer> {
  for (;;) {
    const askedAtMs = performance.now();
    const answer = await calls.claim(thing, { owner, onUnknown });
    if (answer.is !== 'go' || performance.now() - askedAtMs <= CLAIM_FRESH_MS) return answer;
  }
}

function withoutSending(answer: Exclude<ClaimAnswer, { is: 'go' }>): Settled {
  switch (answer.is) {
    case 'later':
      return { is: 'later', again: answer.waitMs, reason: 'its outcome was unknown, and it is sent again' };
    case 'busy':
      return BUSY;
    case 'paused':
      return { is: 'later', again: 'resumed', reason: 'its portfolio is paused' };
    case 'awaiting':
      return { is: 'later', again: 'approved', reason: 'it waits for another person’s approval' };
    case 'unmarked':
      return { is: 'later', again: 'new permit', reason: 'the mark of what is sent is not in Redis' };
    case 'cancelled':
    case 'changed':
      return { is: 'moved' };
    default:
      return answer;
  }
}

const BUSY: Settled = { is: 'later', again: BUSY_WAIT_MS, reason: 'another process is sending it' };

type Claimed = {
  calls: Calls;
  thing: Sendable & { buyer: string };
  owner: string;
  onUnknown: UnknownPolicy;
  answerCheck: AnswerCheck;
};

/**
 * Makes the function that writes a response into the ledger and returns its meaning for the row. It may run again whenever the ledger shows
 * the claim as open, so it keeps only the needed parts of the response.
 */
function writer(sent: Sent, claimed: Claimed): () => Promise<Settled> {
  const { calls, thing, owner } = claimed;
  switch (sent.is) {
    case 'made': {
      const { id, record } = sent;
      return () => writeMade(id, record, claimed);
    }
    case 'not ours': {
      const { id, reason, body } = sent;
      return () => writeNotOurs(id, reason, claimed, body);
    }
    case 'refused': {
      const { status, body } = sent;
      return () => writeRefusal(status, body, claimed);
    }
    case 'unknown': {
      const { reason } = sent;
      return () => writeDoubt(reason, claimed);
    }
    default: {
      const why = sent.is;
      const reason = sent.is === 'unauthorized' ? `status ${sent.status}` : sent.reason;
      return async () => {
        const released = await calls.release(thing, owner, why);
        if (released.is !== 'back') return { is: 'later', again: 'new permit', reason };
        const { putOffs, late: wasUnknown } = released;
        if (putOffs >= MOST_PUT_OFFS) return { is: 'put off', reason, times: putOffs };
        return { is: 'later', again: 'new permit', reason, putOffs, wasUnknown };
      };
    }
  }
}

async function writeMade(id: string, record: CallRecord, claimed: Claimed): Promise<Settled> {
  const { calls, thing, owner } = claimed;
  return heardOf(await calls.settle(thing, owner, { id, record, buyer: thing.buyer }), id, record, claimed);
}

/** The meaning of the settlement's answer for the row. */
async function heardOf(known: SettleAnswer, id: string, record: CallRecord, claimed: Claimed): Promise<Settled> {
  const { calls, thing, owner, answerCheck } = claimed;
  if (known.otherRow === undefined) return { is: 'made', id: known.id, record, wasUnknown: known.late };
  const why = `its id ${id} is that of the limit that was made for the row ${known.otherRow}`;
  if (answerCheck === 'hold') return writeNotOurs(id, `the answer is to another request: ${why}`, claimed);
  const warned = { ...record, differs: record.differs ? `${record.differs}; ${why}` : why };
  await calls.settle(thing, owner, { id, record: warned, buyer: thing.buyer }, { accepted: true });
  return { is: 'made', id, record: warned };
}

/** Writes that the response is to another request. No setting repeats this call: only a person can find out what the service made. */
async function writeNotOurs(
  id: string,
  reason: string,
  { calls, thing, owner }: Claimed,
  body?: string,
): Promise<Settled> {
  const doubt = await calls.doubt(thing, owner, reason, { othersId: id });
  return doubt ? { is: 'unknown', reason, sentMs: doubt.sentMs, isOthers: true, body } : BUSY;
}

async function writeRefusal(status: number, body: string, { calls, thing, owner }: Claimed): Promise<Settled> {
  const released = await calls.release(thing, owner, 'refused', { status, body });
  // The claim has passed to another owner, whose response counts.
  if (released.is === 'other') return BUSY;
  if (released.is === 'in doubt') {
    // The refusal of a repetition does not tell whether an earlier send made the thing.
    const reason = `${released.reason}; sent again, it was refused with status ${status}`;
    return { is: 'unknown', reason, sentMs: released.sentMs };
  }
  return { is: 'refused', status, body, wasUnknown: released.late };
}

async function writeDoubt(reason: string, { calls, thing, owner, onUnknown }: Claimed): Promise<Settled> {
  const doubt = await calls.doubt(thing, owner, reason, { onUnknown });
  // The claim has passed to another owner, whose response counts: the row asks again later.
  if (!doubt) return BUSY;
  if (onUnknown !== 'hold' && doubt.againMs !== undefined) return { is: 'later', again: doubt.againMs, reason };
  return { is: 'unknown', reason, sentMs: doubt.sentMs };
}
