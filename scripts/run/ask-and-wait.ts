import { setTimeout as sleep } from 'node:timers/promises';
import { askedSessionsWords, askSessions } from '../../jobs/operators/ask-sessions.ts';
import { STEP_JOBS } from '../../jobs/rows/feed.ts';
import { foundPages } from '../../jobs/rows/walk-rows.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import type { HostedSession } from '../../src/ledger/calls/sessions.ts';
import { isDeclinedLimit } from '../../src/ledger/counts/row-outcome.ts';
import { openRows } from '../../src/ledger/portfolios/summary.ts';
import { GRANTED_STATES, type RowResult } from '../../src/ledger/schema/row.ts';
import { failedSessionLines } from '../report/summary-table.ts';
import type { Terminal } from '../terminal/terminal.ts';

const LOOK_ANSWERED_EVERY_MS = 200;

/**
 * How long a run waits for the answer to any session, in ms and in addition to the time limit of a call, before it leaves the other
 * sessions to workers. Pauses between calls are never longer.
 */
const PATIENCE_MS = 60_000;

/**
 * The state of a limit's session. `none`: there is none, or its link is no longer kept. `declined`: it was not sent, because the limit was
 * declined.
 */
type Standing = HostedSession['state'] | 'none' | 'declined';

/**
 * Asks for hosted sessions of a portfolio's limits, waits until none is left to be sent, and says what became of them. Ends also where they
 * wait for a person, or none is answered for `patienceMs`, and says so: then workers send them later.
 *
 * @returns whether each limit has a link, but for those that were declined
 */
export async function askAndWait(
  portfolio: string,
  options: { context: Context; terminal: Pick<Terminal, 'say'>; stop: AbortSignal; patienceMs?: number },
): Promise<boolean> {
  const { context, terminal, stop, patienceMs = PATIENCE_MS + context.settings.SERVICE_TIMEOUT_MS } = options;
  const asked = await askSessions({ portfolio }, { by: commandLineActor() }, context);
  terminal.say(`limitline: ${askedSessionsWords(asked)}`);
  const counts = { made: 0, refused: 0, held: 0, waits: 0, sent: 0, dropped: 0, none: 0, declined: 0 };
  const meanings = await context.statusMeanings.read();
  const isStuck = makeStuck(patienceMs, context);
  let why: string | undefined;
  for await (const result of limitsOf(portfolio, context)) {
    const { limitId } = result;
    let standing = await standingOf(limitId, context);
    while (!stop.aborted && (standing === 'sent' || (standing === 'waits' && why === undefined))) {
      if (await isStuck()) {
        why ??= `none was made for ${Math.round(patienceMs / 1_000)} s`;
        break;
      }
      if (standing === 'waits') why = await whyNone(portfolio, limitId, context);
      if (why === undefined || standing === 'sent')
        await sleep(LOOK_ANSWERED_EVERY_MS, undefined, { signal: stop }).catch(() => {});
      standing = await standingOf(limitId, context);
    }
    if (standing === 'none' && isDeclinedLimit(result, meanings)) standing = 'declined';
    counts[standing] += 1;
    if (stop.aborted) return false;
  }
  const { made, refused, held, waits, sent, dropped, none, declined } = counts;
  if (waits > 0)
    terminal.say(`limitline: ${counted(waits, 'hosted session waits', 'hosted sessions wait')}, since ${why}.`);
  const parts = [
    ...(made > 0 ? [`${made} made`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(held > 0 ? [`nobody knows what became of ${held}`] : []),
    ...(waits > 0 ? [`${waits} waiting`] : []),
    ...(sent > 0 ? [`${sent} not answered yet`] : []),
    ...(dropped > 0 ? [`${dropped} given up`] : []),
    ...(none > 0 ? [`${counted(none, 'limit')} without one`] : []),
    ...(declined > 0 ? [`none for ${counted(declined, 'declined limit')}`] : []),
  ];
  if (parts.length > 0) terminal.say(`limitline: hosted sessions: ${parts.join(', ')}.`);
  if (refused + held > 0) {
    const failed = await context.calls.sessions.failed(portfolio);
    for (const words of await failedSessionLines(failed, context)) terminal.say(`limitline: ${words}`);
  }
  return refused + held + waits + sent + dropped + none === 0;
}

/** Makes a function that tells whether no session of the account has been answered for `patienceMs`. */
function makeStuck(patienceMs: number, { calls }: Context): () => Promise<boolean> {
  let known: number | undefined;
  let sinceMs = 0;
  return async () => {
    const answered = await calls.sessions.answered();
    if (answered !== known) [known, sinceMs] = [answered, performance.now()];
    return performance.now() - sinceMs >= patienceMs;
  };
}

/** One row for each limit of a portfolio, since several rows may share a limit. */
async function* limitsOf(portfolio: string, { rows }: Context): AsyncGenerator<RowResult> {
  const seen = new Set<string>();
  for (const state of GRANTED_STATES) {
    for await (const page of foundPages(rows, portfolio, state)) {
      for (const { result } of page) {
        if (!seen.has(result.limitId)) yield result;
        seen.add(result.limitId);
      }
    }
  }
}

/** The state of a limit's last session; see {@link Standing}. */
async function standingOf(limitId: string, { calls }: Context): Promise<Standing> {
  const [last] = await calls.sessions.of(limitId);
  if (last?.dropped) return 'declined';
  return last === undefined || (last.state === 'made' && last.sessionLink === '') ? 'none' : last.state;
}

/** The reason why a limit's session is not sent before a person acts or other limits are done; undefined if there is none. */
async function whyNone(
  portfolio: string,
  limitId: string,
  { portfolios, queues, calls }: Context,
): Promise<string | undefined> {
  const asker = (await calls.sessions.askedIn(limitId)) ?? portfolio;
  if ((await portfolios.read(asker)).paused !== undefined)
    return asker === portfolio
      ? 'the portfolio is paused'
      : `the portfolio ${asker}, which has the limit too, is paused`;
  const { queue } = STEP_JOBS.limit;
  if ((await queues.paused()).includes(queue)) return `the queue ${queue} is paused`;
  const before = (await portfolios.open()).filter(({ name, paused }) => name !== portfolio && paused === undefined);
  const rows = before.reduce((sum, state) => sum + openRows(state), 0);
  return rows > 0
    ? `limits go first, and ${counted(rows, 'row')} of other portfolios ${rows === 1 ? 'is' : 'are'} open`
    : undefined;
}
