import { setTimeout as sleep } from 'node:timers/promises';
import { askedSessionsWords, askSessions } from '../../jobs/operators/ask-sessions.ts';
import { STEP_JOBS } from '../../jobs/rows/step-jobs.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { openRows } from '../../src/ledger/portfolios/summary.ts';
import type { Terminal } from '../terminal/terminal.ts';

const LOOK_EVERY_MS = 200;

/**
 * Asks for hosted sessions of a portfolio's limits, and waits until none is left to be sent. Ends also where they wait for a person, and says
 * for what: then workers send them later.
 */
export async function askAndWait(
  portfolio: string,
  { context, terminal, stop }: { context: Context; terminal: Terminal; stop: AbortSignal },
): Promise<void> {
  const asked = await askSessions({ portfolio }, { by: commandLineActor() }, context);
  terminal.say(`limitline: ${askedSessionsWords(asked)}`);
  for (;;) {
    const left = await context.calls.sessions.waitingOf(portfolio);
    if (left === 0 || stop.aborted) return;
    const why = await whyNone(portfolio, context);
    if (why !== undefined && (await context.calls.sessions.underWay(portfolio)) === 0) {
      terminal.say(`limitline: ${counted(left, 'hosted session waits', 'hosted sessions wait')}, since ${why}.`);
      return;
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => {});
  }
}

/** What keeps sessions from being sent until a person does something; undefined for nothing. */
async function whyNone(portfolio: string, { portfolios, queues }: Context): Promise<string | undefined> {
  if ((await portfolios.read(portfolio)).paused !== undefined) return 'the portfolio is paused';
  const { queue } = STEP_JOBS.limit;
  if ((await queues.paused()).includes(queue)) return `the queue ${queue} is paused`;
  const before = (await portfolios.open()).filter(({ name, paused }) => name !== portfolio && paused === undefined);
  const rows = before.reduce((sum, state) => sum + openRows(state), 0);
  return rows > 0
    ? `limits go first, and ${counted(rows, 'row')} of other portfolios ${rows === 1 ? 'is' : 'are'} open`
    : undefined;
}
