import type { CallKind } from '../../../src/call-kind.ts';
import { type Arrival, callName } from '../doubles/service-account.ts';

/**
 * Words of people. `resend`: what was requested until they looked may be requested again (at once, or by somebody else
 * first if `asks`). `answer granted` and `answer declined`: a yes or a no to an answer about calls in doubt, as "<kind>
 * <what>". A yes or a no to limits; limits that are given up, with no call in flight any more, or wanted again; limits
 * that are paused, or no longer. Given-up things may be portfolios, and a yes or a no may be to suppliers.
 */
export type Say =
  | { is: 'resend'; kind: CallKind; what: string; lookedMs: number; asks?: boolean }
  | { is: 'answer granted' | 'answer declined'; whats: readonly string[]; atMs: number }
  /** Of these limits, only so many are sent after the first `calls` calls, before somebody resumes their portfolio. */
  | { is: 'first'; count: number; whats: readonly string[]; atMs: number; calls: number }
  | {
      /** The approval that was answered with it, and the rows that waited for it. */
      approval?: string;
      rows?: readonly string[];
      is: 'yes' | 'no' | 'given up' | 'gives up' | 'wanted' | 'paused' | 'resumed';
      whats: readonly string[];
      atMs: number;
      /**
       * For somebody who speaks of a row: when they had finished. Until then, their word may not have had an effect.
       */
      endMs?: number;
    };

/** The demands and permissions of settings. */
export type Rules = {
  /** Kinds of calls that are sent again automatically when their outcome is unknown. */
  resends: readonly CallKind[];
  /** Whether each limit needs the approval of another person. */
  needsYes: boolean;
  /** The number of initial rows that request a limit. */
  rowsOf: (what: string) => number;
};

/** A call that was claimed before may leave until this much later (src/ledger/calls/at-most-once.ts). */
const ON_THE_WAY_MS = 3_500;

/** Answers that prove that nothing was made. */
export const NOTHING_MADE = new Set(['refused', 'too late, refused', 'throttled', '401', 'unreachable']);

/** Answers after which no setting sends the call again. */
const KNOWN = new Set(['made', 'late, made', 'not ours']);

/**
 * A call arrives at the service. @throws when it should not have been sent, judged only by what the service and people
 * know
 */
export function checkArrival(call: Arrival, earlier: readonly Arrival[], says: readonly Say[], rules: Rules): void {
  for (const before of earlier) {
    if (!isRepetition(call, before) && !mayFollow(before, says, rules) && !isOvertaken(call, says, rules)) {
      throw new Error(`asked for again: ${callName(call)}, while what became of ${callName(before)} is not known`);
    }
  }
  if (rules.needsYes && call.kind === 'company') {
    const isFor = (what: string) =>
      what === call.what || what.startsWith(`${call.what.replaceAll(' ', '-')}@example.com `);
    const whats = new Set(says.flatMap((say) => ('whats' in say ? say.whats.filter(isFor) : [])));
    if (![...whats].some((what) => lastSaid(['yes', 'no'], what, says) === 'yes'))
      throw new Error(`sent without a yes: ${callName(call)}`);
  }
  if (call.kind !== 'limit') return;
  const refusals = earlier.filter(({ isHeard, answer }) => isHeard && answer.endsWith('refused')).length;
  const wants = says.filter((say) => say.is === 'wanted' && say.whats.includes(call.what)).length;
  // A setting resends calls in doubt, whatever became of a repetition.
  const isResent = rules.resends.includes('limit') || earlier.some((before) => isRepetition(call, before));
  if (!isResent && refusals >= Math.max(1, wants + rules.rowsOf(call.what))) {
    throw new Error(`sent again though it was refused, and nobody wanted that: ${callName(call)}`);
  }
  const said = lastSaid(['yes', 'no'], call.what, says);
  if (said === 'no') throw new Error(`sent after a no: ${callName(call)}`);
  if (rules.needsYes && said !== 'yes') throw new Error(`sent without a yes: ${callName(call)}`);
  const pause = says.findLast((say) => (say.is === 'paused' || say.is === 'resumed') && say.whats.includes(call.what));
  if (pause?.is === 'paused' && call.atMs > pause.atMs + ON_THE_WAY_MS && !call.sender.stood) {
    throw new Error(`sent while it was paused: ${callName(call)}`);
  }
  if (isGivenUp(call.what, says)) throw new Error(`sent after it was given up: ${callName(call)}`);
}

/** A limit arrives of a portfolio whose first rows are sent alone. @throws where more limits than these were sent */
export function checkFirst({ what }: Arrival, arrivals: readonly Arrival[], says: readonly Say[]): void {
  const resumed = says.findLastIndex((say) => say.is === 'resumed' && say.whats.includes(what));
  const firsts = says.slice(resumed + 1).filter((say) => say.is === 'first');
  const whats = firsts.flatMap((say) => say.whats);
  if (!whats.includes(what)) return;
  const isSent = (arrival: Arrival) => arrival.kind === 'limit' && whats.includes(arrival.what);
  const sent = new Set(
    arrivals
      .slice(firsts[0]?.calls)
      .filter(isSent)
      .map((arrival) => arrival.what),
  );
  if (sent.size > Math.max(...firsts.map(({ count }) => count)))
    throw new Error(`sent before the first rows were looked at: ${what}, with ${[...sent].join(', ')}`);
}

/** Whether somebody gave it up, and nobody wanted it afterwards or at the same time. */
function isGivenUp(what: string, says: readonly Say[]): boolean {
  const about = says.filter(
    (say): say is Extract<Say, { rows?: unknown }> => 'whats' in say && say.whats.includes(what),
  );
  const at = about.findLastIndex(({ is }) => is === 'given up');
  const givenUp = about[at];
  if (!givenUp) return false;
  return !about.some(({ is, endMs = 0 }, place) => is === 'wanted' && (place > at || endMs >= givenUp.atMs));
}

const lastSaid = (kinds: readonly Say['is'][], what: string, says: readonly Say[]) =>
  says.findLast((say) => say.is !== 'resend' && kinds.includes(say.is) && say.whats.includes(what))?.is;

/** Whether the service recognizes a call by the idempotency key of an earlier one. */
const isRepetition = ({ key }: Arrival, before: Arrival): boolean => key !== undefined && key === before.key;

/** Whether the service may get a call again after this one. */
function mayFollow(before: Arrival, says: readonly Say[], { resends }: Rules): boolean {
  if (NOTHING_MADE.has(before.answer) && before.isHeard) return true;
  const isMeant = says.some(
    (say) =>
      say.is === 'resend' &&
      say.kind === before.kind &&
      say.what === before.what &&
      say.lookedMs >= before.atMs &&
      !isDeclined(say, before, says),
  );
  if (isMeant) return true;
  // If a setting allows it, a call may be resent when no living process can still get its answer, or record that it is
  // foreign.
  return resends.includes(before.kind) && (isGone(before) || (before.isHeard && !KNOWN.has(before.answer)));
}

/**
 * Whether somebody declined an answer about this call before the resending person looked, or was asked, and nobody
 * granted one.
 */
function isDeclined(
  { lookedMs, asks }: Extract<Say, { is: 'resend' }>,
  { kind, what, atMs }: Arrival,
  says: readonly Say[],
): boolean {
  const about = says.filter((say) => 'whats' in say && say.whats.includes(`${kind} ${what}`) && say.atMs >= atMs);
  if (about.some(({ is }) => is === 'answer granted')) return false;
  return about.some((say) => say.is === 'answer declined' && (asks || say.atMs < lookedMs));
}

/**
 * Whether the sender stood still on the way, and a setting or a person allowed a resend meanwhile. That may make a
 * thing twice (README).
 */
function isOvertaken({ sender, kind, what }: Arrival, says: readonly Say[], { resends }: Rules): boolean {
  const isMeant = says.some((say) => say.is === 'resend' && say.kind === kind && say.what === what);
  return sender.stood && (isMeant || resends.includes(kind));
}

/** Whether the sender of a call died or stood still, and may not have written down its answer. */
const isGone = ({ sender }: Arrival): boolean => sender.standing !== 'runs' || sender.stood;
