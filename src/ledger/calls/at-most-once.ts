import type { AnswerCheck, UnknownPolicy } from '../../config.ts';
import { messageOf } from '../../errors.ts';
import type { CallRecord, Sent, Settled } from '../../outcome.ts';
import type { Attempts } from './attempts.ts';
import type { Moving } from './batches.ts';
import { type Calls, MOST_PUT_OFFS, type SettleAnswer } from './calls.ts';
import type { ClaimAnswer, Thing } from './claim-answers.ts';
import type { SendMarks } from './send-marks.ts';

/** What a row's made call leads to, in the same step of the ledger: how it goes on, and the call that it wants next, if it may have it now. */
export type Onward = { moving: Moving; next: (Thing & { buyer: string }) | undefined; onUnknown: UnknownPolicy };

/** What became of a settled call. `onward` where its row has gone on in the same step: with the next call, where that is claimed. */
export type Ended = Settled | (Extract<Settled, { is: 'made' }> & { onward: { claim: Claim | undefined } });

/** The right to send one call, once, now. Whoever has it settles it, whatever happens: it stays claimed until then. */
export type Claim = {
  is: 'go';
  /**
   * Names the first send of this content whose outcome is open or that made nothing; the same for every repetition: what an
   * idempotency key is made of.
   */
  first: string;
  /**
   * Writes down what became of the call, and answers what that means for the row. Where it was made the row goes `onward` in the same
   * step, if all is as for most rows.
   */
  settle: (sent: Sent, onward?: Onward) => Promise<Ended>;
  /** Settles a call that failed before anything was sent, and rejects with what it failed with. */
  giveBack: (error: unknown) => Promise<never>;
};

/**
 * A claim older than this may have been given up on by the others (a blocked event loop), so it is asked for
 * again before anything is sent; the ledger knows its owner. Half of what makes a process count as vanished.
 */
const CLAIM_FRESH_MS = 3_000;

/** Somebody else is sending the same call: they are done within a call's time, so look again soon. */
const BUSY_WAIT_MS = 150;

export type AtMostOnce = ReturnType<typeof makeAtMostOnce>;

/**
 * Every call to the service goes through here, and at most once for each thing: claim → send → settle. Nothing is sent
 * without a claim, and what is claimed and not settled is sent by nobody again unasked.
 */
export function makeAtMostOnce({
  calls,
  attempts,
  marks,
  answerCheck = 'hold',
}: {
  calls: Calls;
  attempts: Attempts;
  marks?: SendMarks;
  /** Whether a limit that is answered with the id of another one is held. */
  answerCheck?: AnswerCheck;
}) {
  /** The claim of an attempt that was told to go. */
  const claimOf = (thing: Thing & { buyer: string }, owner: string, first: string, onUnknown: UnknownPolicy): Claim => {
    const settle = async (sent: Sent, onward?: Onward): Promise<Ended> => {
      const write = writer(sent, { calls, thing, owner, onUnknown, answerCheck });
      try {
        // Whatever keeps its row from going on keeps nobody from writing down that it was made; the row meets it again.
        const goes = sent.is === 'made' && onward ? goOnward(thing, owner, sent, onward) : undefined;
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

  /** Writes the call down, moves its row on and claims the next call, in one step, as far as each goes as it does for most rows. */
  const goOnward = async (
    thing: Thing & { buyer: string },
    owner: string,
    { id, record }: Extract<Sent, { is: 'made' }>,
    { moving, next, onUnknown }: Onward,
  ): Promise<Ended> => {
    const behind = next && { thing: next, owner: attempts.begin() };
    const askedAtMs = performance.now();
    let known: SettleAnswer | undefined;
    try {
      known = await calls.settle(thing, owner, { id, record, buyer: thing.buyer }, { moving, next: behind });
    } finally {
      if (behind && known?.went !== 'claimed')
        attempts.end(behind.owner, () => calls.release(behind.thing, behind.owner, 'unsent'));
    }
    if (known.went === 'stayed') return heardOf(known, id, record, { calls, thing, owner, onUnknown, answerCheck });
    const claim =
      behind && known.went === 'claimed' ? claimOf(behind.thing, behind.owner, known.first, onUnknown) : undefined;
    // A claim that is too old is given back; the row claims its call again later.
    const isStale = performance.now() - askedAtMs > CLAIM_FRESH_MS;
    if (claim && isStale) await claim.settle({ is: 'unsent', reason: 'it took too long to claim it' });
    return { is: 'made', id, record, onward: { claim: isStale ? undefined : claim } };
  };

  return {
    /** Resolves when what is claimed may leave, which it has to do at once. @throws as {@link SendMarks}`.ready` */
    mayLeave: async (): Promise<void> => marks?.ready(),

    /** Asks for the right to send a call. Any other answer than a claim says what became of it without sending. */
    async claim(thing: Thing & { buyer: string }, onUnknown: UnknownPolicy): Promise<Claim | Settled> {
      const owner = attempts.begin();
      let answer: ClaimAnswer | undefined;
      try {
        answer = await claimFresh(calls, thing, owner, onUnknown);
      } finally {
        if (answer?.is !== 'go') attempts.end(owner, () => calls.release(thing, owner, 'unsent'));
      }
      // Before its next permit it is asked what that means.
      if (answer.is === 'unmarked') marks?.expire();
      return answer.is === 'go' ? claimOf(thing, owner, answer.first, onUnknown) : withoutSending(answer);
    },
  };
}

async function claimFresh(calls: Calls, thing: Thing, owner: string, onUnknown: UnknownPolicy): Promise<ClaimAnswer> {
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
  thing: Thing & { buyer: string };
  owner: string;
  onUnknown: UnknownPolicy;
  answerCheck: AnswerCheck;
};

/**
 * Makes what writes an answer down and says what it means for the row. It may run again whenever the ledger shows the claim
 * as open, so it keeps no more of the answer than it needs.
 */
function writer(sent: Sent, claimed: Claimed): () => Promise<Settled> {
  const { calls, thing, owner } = claimed;
  switch (sent.is) {
    case 'made': {
      const { id, record } = sent;
      return () => writeMade(id, record, claimed);
    }
    case 'not ours': {
      const { id, reason } = sent;
      return () => writeNotOurs(id, reason, claimed);
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

/** What it means for the row that this is on record. */
async function heardOf(known: SettleAnswer, id: string, record: CallRecord, claimed: Claimed): Promise<Settled> {
  const { calls, thing, owner, answerCheck } = claimed;
  if (known.otherRow === undefined) return { is: 'made', id: known.id, record, wasUnknown: known.late };
  const why = `its id ${id} is that of the limit that was made for the row ${known.otherRow}`;
  if (answerCheck === 'hold') return writeNotOurs(id, `the answer is to another request: ${why}`, claimed);
  const warned = { ...record, differs: record.differs ? `${record.differs}; ${why}` : why };
  await calls.settle(thing, owner, { id, record: warned, buyer: thing.buyer }, { accepted: true });
  return { is: 'made', id, record: warned };
}

/** No setting sends it again: the service made something, and only a person can find out what. */
async function writeNotOurs(id: string, reason: string, { calls, thing, owner }: Claimed): Promise<Settled> {
  const doubt = await calls.doubt(thing, owner, reason, { othersId: id });
  return doubt ? { is: 'unknown', reason, sentMs: doubt.sentMs, isOthers: true } : BUSY;
}

async function writeRefusal(status: number, body: string, { calls, thing, owner }: Claimed): Promise<Settled> {
  const released = await calls.release(thing, owner, 'refused', { status, body });
  // What the other hears counts, as in {@link writeDoubt}.
  if (released.is === 'other') return BUSY;
  if (released.is === 'in doubt') {
    // What an earlier send made or not, the refusal of its repetition does not say.
    const reason = `${released.reason}; sent again, it was refused with status ${status}`;
    return { is: 'unknown', reason, sentMs: released.sentMs };
  }
  return { is: 'refused', status, body, wasUnknown: released.late };
}

async function writeDoubt(reason: string, { calls, thing, owner, onUnknown }: Claimed): Promise<Settled> {
  const doubt = await calls.doubt(thing, owner, reason, { onUnknown });
  // The claim has passed to another while we waited, and what that one hears counts: come back and ask.
  if (!doubt) return BUSY;
  if (onUnknown !== 'hold' && doubt.againMs !== undefined) return { is: 'later', again: doubt.againMs, reason };
  return { is: 'unknown', reason, sentMs: doubt.sentMs };
}
