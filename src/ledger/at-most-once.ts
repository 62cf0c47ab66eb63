import type { UnknownPolicy } from '../config.ts';
import type { CallRecord, Calls, Thing, Verdict } from './calls.ts';
import type { RowId } from './row-id.ts';

/** What a sender must be able to say of its answer; the service client's answers are of this form. */
export type Sent =
  | { meaning: 'made'; id: string; record: CallRecord }
  | { meaning: 'refused'; status: number; body: string }
  | { meaning: 'throttled' | 'unreachable'; heard: string }
  | { meaning: 'unknown'; heard: string };

/** How it ended. Only `made` gives an id; only `refused` and `unknown` end the row. */
export type Ending =
  | { is: 'made'; id: string; record: CallRecord; row: string | undefined }
  | { is: 'refused'; status: number; body: string }
  | { is: 'unknown'; heard: string; sentMs: number }
  | { is: 'busy' | 'paused' | 'cancelled' }
  | { is: 'later'; heard: string };

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
 * sent; the claim is then given back. It is told the name of the first send whose outcome is open, the same for every repetition:
 * what an idempotency key is made of. Whatever else goes wrong leaves a claim behind that nobody sends again unasked.
 */
export function makeOnce({ calls, processId, probe }: { calls: Calls; processId: string; probe?: Probe | undefined }) {
  let attempts = 0;

  return async (
    thing: Thing & { buyer: string },
    { onUnknown, send }: { onUnknown: UnknownPolicy; send: (first: string) => Promise<Sent> },
  ): Promise<Ending> => {
    attempts += 1;
    const owner = `${processId}/${attempts}`;
    let verdict: Verdict;
    let askedAtMs: number;
    do {
      askedAtMs = performance.now();
      verdict = await calls.claim(thing, { owner, onUnknown });
      if (verdict.is !== 'go') return verdict;
    } while (performance.now() - askedAtMs > CLAIM_FRESH_MS);
    let answer: Sent;
    probe?.('claimed', thing.row);
    try {
      answer = await send(verdict.first);
    } catch (error) {
      await calls.release(thing, owner, 'unreachable');
      throw error;
    }
    probe?.('answered', thing.row);
    const ending = await close(calls, thing, owner, answer);
    probe?.('settled', thing.row);
    return ending;
  };
}

async function close(calls: Calls, thing: Thing & { buyer: string }, owner: string, answer: Sent): Promise<Ending> {
  switch (answer.meaning) {
    case 'made': {
      const id = await calls.settle(thing, owner, { id: answer.id, record: answer.record, buyer: thing.buyer });
      return { is: 'made', id, record: answer.record, row: undefined };
    }
    case 'refused':
      await calls.release(thing, owner, 'refused');
      return { is: 'refused', status: answer.status, body: answer.body };
    case 'unknown': {
      const sentMs = await calls.doubt(thing, owner, answer.heard);
      // The claim has passed to another while we waited, and what that one hears counts: come back and ask.
      return sentMs === undefined ? { is: 'busy' } : { is: 'unknown', heard: answer.heard, sentMs };
    }
    default:
      await calls.release(thing, owner, answer.meaning);
      return { is: 'later', heard: answer.heard };
  }
}
