import { countQuestions } from '../../jobs/story/held-desk.ts';
import { t } from '../../src/console/html/texts.ts';
import type { Strip } from '../../src/console/layout/layout.ts';
import type { Context } from '../../src/context.ts';
import { countLiving } from '../../src/ledger/calls/fleet.ts';
import { OLDER_WORDS } from '../../src/ledger/calls/send-marks.ts';
import { lookAtPace } from '../../src/open-service.ts';
import { describeBlock, describeTripped } from '../../src/pace/breaker-words.ts';
import { describeLearned } from '../../src/pace/pace-words.ts';
import { isNearlyFull, nearlyFullWords, readMemory } from '../../src/redis-memory/memory.ts';

/** Reads the state of all work from Redis, for the strip on each page. Never asks the service. */
export async function readStrip(context: Context): Promise<Strip> {
  const { ledger, keys, account, settings } = context;
  const [workers, pace, approvals, held, older, memory] = await Promise.all([
    countLiving({ connection: ledger, keys }),
    lookAtPace(context),
    context.approvals.waitingCount(),
    countQuestions(context),
    context.marks.older(),
    readMemory(ledger),
  ]);
  const full = memory && isNearlyFull(memory) ? nearlyFullWords(memory) : undefined;
  const now = Date.now();
  const blocked = !full && pace?.blocked && pace.blocked.untilMs > now ? pace.blocked : undefined;
  const { tripped = [], paused = [] } = pace ?? {};
  return {
    account,
    standIn: settings.SERVICE_URL === undefined,
    workers,
    counts: { approvals, held },
    pace: pace && !blocked && tripped.length + paused.length === 0 ? describeLearned(pace, now) : '',
    alarm: older ? OLDER_WORDS : full,
    stops: [
      ...(workers === 0 && !older && !full
        ? [t`No worker runs, so nothing is sent: start one with npx limitline work.`]
        : []),
      ...(blocked ? [t`All calls wait: ${describeBlock(blocked, now)}.`] : []),
      ...paused.map(
        (queue) => t`The queue ${queue} is paused, so its rows wait: npx limitline resume --queue ${queue}.`,
      ),
      ...(tripped.length > 0 ? [t`Some calls wait: ${describeTripped(tripped, now)}.`] : []),
    ],
  };
}
