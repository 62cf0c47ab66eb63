import { expect, test } from 'vitest';
import { waitForWorkEnd } from '../../../scripts/ending/work-end.ts';
import type { PortfolioState } from '../../../src/ledger/portfolios/portfolio.ts';
import { ROW_STATES } from '../../../src/ledger/schema/row.ts';

/** The parts of a portfolio on which the end of `work` depends. */
function portfolio(name: string, { queued = 0, ...others }: Partial<PortfolioState> & { queued?: number } = {}) {
  const none = Object.fromEntries(ROW_STATES.map((state) => [state, 0])) as PortfolioState['states'];
  const still = { importing: false, interrupted: false, paused: undefined, supplier: undefined };
  return { name, ...still, ...others, states: { ...none, queued } } as PortfolioState;
}

const [finished, going] = [portfolio('a'), portfolio('b', { queued: 3 })];
const [paused, interrupted] = [portfolio('c', { paused: '', queued: 1 }), portfolio('d', { interrupted: true })];

const never = new Promise<string>(() => {});
const lookedAt = (all: PortfolioState[]) => ({
  portfolios: { open: async () => all, read: async (name: string) => all.find((one) => one.name === name) ?? finished },
  approvals: { answered: async () => [] },
  queues: { stoppedBy: async () => [] },
});

// Promises: unfinished-import-stays-open, until-settled-ends
test.each<[string, PortfolioState[], string | true, number, RegExp]>([
  ['nothing is left', [finished], true, 0, /: nothing is open any more$/],
  [
    'an import was killed',
    [interrupted],
    true,
    2,
    /: no row is open, but an import of portfolio d was not .* import its file again, or once more the file that takes its place$/,
  ],
  ['an import of the named portfolio was killed', [interrupted, going], 'd', 2, /portfolio d was not read to its end/],
  ['an import of another portfolio was killed', [finished, interrupted], 'a', 0, /nothing is open/],
  [
    'one portfolio is paused and an import of another was killed',
    [paused, interrupted],
    true,
    2,
    /resume.*; and an import of portfolio d/,
  ],
])(
  'work --until-settled ends with the right status and reason when %s',
  async (_what, all, untilSettled, status, words) => {
    const waiting = waitForWorkEnd({ untilSettled }, { signal: never, ...lookedAt(all) });
    waiting.begin();
    expect(await waiting.end()).toMatchObject({ status, words: expect.stringMatching(words) });
  },
);

// Promise: deadline-ends-with-3
test.each<[string, PortfolioState[], number, RegExp]>([
  ['with 0 when nothing is left', [finished], 0, /: nothing is open any more$/],
  ['with 3 and the count of rows', [going, paused], 3, /: the time of --deadline is over; 4 rows are left$/],
  ['with 3 when an import was killed', [interrupted], 3, /; 0 rows are left, and an import of portfolio d /],
])('work ends after its --deadline %s', async (_what, all, status, words) => {
  const deadline = { ms: 1, text: '1ms' };
  const { end } = waitForWorkEnd({ deadline }, { signal: never, ...lookedAt(all) });
  // The timer of the deadline is unreferenced, so another timer keeps the process alive.
  const awake = setInterval(() => {}, 1_000);
  const ended = await end().finally(() => clearInterval(awake));
  expect(ended).toMatchObject({ status, words: expect.stringMatching(words), facts: { deadline: '1ms' } });
});

test('work ends after its --deadline with 3 when Redis cannot be reached', async () => {
  const away = async (): Promise<never> => {
    throw new Error('Connection is closed.');
  };
  const { end } = waitForWorkEnd(
    { deadline: { ms: 1, text: '1ms' } },
    {
      signal: never,
      portfolios: { open: away, read: away },
      approvals: { answered: away },
      queues: { stoppedBy: away },
    },
  );
  expect(await end()).toMatchObject({ status: 3, words: 'stopping: the time of --deadline is over' });
});
