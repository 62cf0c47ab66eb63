import type { UnknownPolicy } from '../config.ts';
import type { Attempts } from './attempts.ts';
import { type CallRecord, type Calls, MOST_PUT_OFFS, type Thing, type Verdict } from './calls.ts';
import type { RowId } from './row-id.ts';

/** What a sender must be able to say of its answer; the service client's answers are of this form. */
export type Sent =
  | { meaning: 'made'; id: string; record: CallRecord }
  | { meaning: 'refused'; status: number; body: string }
  | { meaning: 'throttled' | 'unreachable'; heard: string }
  | { meaning: 'unknown'; heard: string };

/**
 * How it ended. Only `made` gives an id; `refused`, `unknown`, `other` and `put off` end the row. `late` says that the
 * outcome had been unknown until now, so that other rows may be held for it.
 */
export type Ending =
  | { is: 'made'; id: string; record: CallRecord; row: string | undefined; late?: boolean }
  /** It was made before, under this name but for another buyer or amount. */
  | { is: 'other'; id: string }
  | { is: 'refused'; status: number; body: string; late?: boolean }
  | { is: 'unknown'; heard: string; sentMs: number }
  /** The service put this row off again and again while others of its step passed. */
  | { is: 'put off'; heard: string; times: number }
  | { is: 'busy' | 'paused' | 'cancelled' | 'changed' }
  /** Not now; `waitMs` where the ledger says how long, `putOffs` where it is this row alone that is put off. */
  | { is: 'later'; heard: string; waitMs?: number; putOffs?: number; late?: boolean };

/**
 * A claim older than this may have been given up on by the others (a blocked event loop), so it is asked for
 * again before anything is sent; the ledger knows its owner. Half of what makes a process count as vanished.
 */
const CLAIM_FRESH_MS = 3_000;

/**
 * The moments between two steps of a call, and of a row, at which a process may die. Tests that kill it exactly there
 * listen; nobody else does.
 */
export type Moment = 'claimed' | 'answered' | 'settled' | 'advanced' | 'handed over';
export type Probe = (moment: Moment, row: RowId) => void;

export type Once = ReturnType<typeof makeOnce>;

/**
 * Every call to the service goes through here, and at most once for each thing: claim → send → settle.
 *
 * `send` is called only after the ledger said "go". It answers what the service said, and throws only when nothing was
 * sent; the claim is then given back. It is told the name of the first send of this content whose outcome is open or that made
 * nothing, the same for every repetition: what an idempotency key is made of. Whatever else goes wrong leaves a claim
 * behind that nobody sends again unasked.
 */
export function makeOnce({ calls, attempts, probe }: { calls: Calls; attempts: Attempts; probe?: Probe | undefined }) {
  return async (
    thing: Thing & { buyer: string },
    { onUnknown, send }: { onUnknown: UnknownPolicy; send: (first: string) => Promise<Sent> },
  ): Promise<Ending> => {
    const owner = attempts.begin();
    let close = (): Promise<unknown> => calls.release(thing, owner, 'unreachable');
    try {
      const verdict = await claimFresh(calls, thing, owner, onUnknown);
      if (verdict.is !== 'go') return toEnding(verdict);
      probe?.('claimed', thing.row);
      const answer = await send(verdict.first).catch(async (error) => {
        await close();
        throw error;
      });
      probe?.('answered', thing.row);
      const end = ender(calls, thing, owner, answer, onUnknown);
      close = end;
      const ending = await end();
      probe?.('settled', thing.row);
      return ending;
    } finally {
      attempts.end(owner, close);
    }
  };
}

async function claimFresh(calls: Calls, thing: Thing, owner: string, onUnknown: UnknownPolicy): Promise<Verdict> {
  for (;;) {
    const askedAtMs = performance.now();
    const verdict = await calls.claim(thing, { owner, onUnknown });
    if (verdict.is !== 'go' || performance.now() - askedAtMs <= CLAIM_FRESH_MS) return verdict;
  }
}

function toEnding(verdict: Exclude<Verdict, { is: 'go' }>): Ending {
  return verdict.is === 'later' ? { ...verdict, heard: 'its outcome was unknown, and it is sent again' } : verdict;
}

/** What writes an answer down and says what it means for the row. It may be run again; it holds no more than it needs. */
function ender(
  calls: Calls,
  thing: Thing & { buyer: string },
  owner: string,
  answer: Sent,
  onUnknown: UnknownPolicy,
): () => Promise<Ending> {
  switch (answer.meaning) {
    case 'made': {
      const { id, record } = answer;
      return async () => {
        const { late, ...settled } = await calls.settle(thing, owner, { id, record, buyer: thing.buyer });
        return { is: 'made', ...settled, record, row: undefined, ...(late ? { late } : {}) };
      };
    }
    case 'refused': {
      const { status, body } = answer;
      return async () => {
        const released = await calls.release(thing, owner, 'refused');
        // What an earlier send made or not, the refusal of its repetition does not say.
        if (released.is === 'in doubt') {
          const { heard, sentMs } = released;
          return { is: 'unknown', heard: `${heard}; sent again, it was refused with status ${status}`, sentMs };
        }
        return { is: 'refused', status, body, ...(released.is === 'back' && released.late ? { late: true } : {}) };
      };
    }
    case 'unknown': {
      const { heard } = answer;
      return async () => {
        const doubt = await calls.doubt(thing, owner, heard);
        // The claim has passed to another while we waited, and what that one hears counts: come back and ask.
        if (!doubt) return { is: 'busy' };
        if (onUnknown === 'resend' && doubt.againMs !== undefined) return { is: 'later', heard, waitMs: doubt.againMs };
        return { is: 'unknown', heard, sentMs: doubt.sentMs };
      };
    }
    default: {
      const { meaning, heard } = answer;
      return async () => {
        const released = await calls.release(thing, owner, meaning);
        const times = released.is === 'back' ? released.putOffs : 0;
        if (times >= MOST_PUT_OFFS) return { is: 'put off', heard, times };
        const late = released.is === 'back' && released.late;
        return { is: 'later', heard, ...(times > 0 ? { putOffs: times } : {}), ...(late ? { late } : {}) };
      };
    }
  }
}
