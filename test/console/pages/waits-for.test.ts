import { expect, test } from 'vitest';
import type { PortfolioLook } from '../../../src/console/pages/portfolio/portfolio-look.ts';
import { waitsFor, waitWords } from '../../../src/console/pages/portfolio/waits-for.ts';
import { nearlyFullWords } from '../../../src/redis-memory/memory.ts';
import { openLedger } from '../../support/ledger.ts';
import { AT_LIMIT } from '../../support/paces.ts';

const NOW = Date.UTC(2026, 10, 22, 6);

type Changes = Partial<Omit<PortfolioLook, 'state'>> & {
  state?: Partial<PortfolioLook['state']>;
  open?: number;
  held?: number;
  refused?: number;
};

async function lookWith({ state, open = 3, held = 0, refused = 0, ...rest }: Changes) {
  const empty = await openLedger().portfolios.read('q4');
  const states = { ...empty.states, queued: open, held, refused };
  return {
    state: { ...empty, states, startedMs: 1, ...state },
    pace: AT_LIMIT,
    workers: 2,
    pausedQueues: [],
    nowMs: NOW,
    ...rest,
  };
}

test.each<[string, Changes, string]>([
  ['sends at the learned pace', {}, "at the service's limit, 98 calls/s"],
  ['is finished', { open: 0 }, 'finished'],
  ['is finished beside rejected rows', { open: 0, refused: 1_200 }, 'finished, 1,200 rejected'],
  ['is finished and has no worker', { open: 0, workers: 0 }, 'finished'],
  ['has no worker', { workers: 0 }, 'Sending is stopped'],
  ['waits at a paused queue', { pausedQueues: ['companies'] }, 'Queue paused'],
  ['is paused and has no worker', { workers: 0, state: { paused: 'by request' } }, 'Paused'],
  ['was imported incompletely', { state: { interrupted: true } }, 'Incomplete import'],
  ['has held rows', { held: 2 }, '2 rows need an answer'],
  ['is being imported', { state: { importing: true } }, 'Importing'],
  [
    'waits for the service’s limit for seconds',
    { pace: { ...AT_LIMIT, blocked: { why: 'the service asked to wait', because: 'limit', untilMs: NOW + 4_000 } } },
    'the service asked to wait, next try in 4 s',
  ],
  [
    'waits for the service’s limit for a minute',
    { pace: { ...AT_LIMIT, blocked: { why: 'asked', because: 'limit', untilMs: NOW + 60_000 } } },
    'Sending waits',
  ],
  ['waits for the service', { pace: { ...AT_LIMIT, blocked: { why: 'gone', untilMs: NOW + 4_000 } } }, 'Sending waits'],
  [
    'waits for a circuit breaker',
    { pace: { ...AT_LIMIT, tripped: [{ kind: 'limit', why: 'status 502', untilMs: NOW, isTried: true }] } },
    'Some requests wait',
  ],
  ['waits for its supplier', { state: { supplier: { body: {} } } }, 'Supplier first'],
  ['sends its first rows only', { state: { first: 5 } }, 'First rows only'],
  ['has sent its first rows and is finished', { open: 0, state: { first: 5 } }, 'finished'],
  ['has no pace yet', { pace: undefined }, 'starting'],
])('a portfolio that %s shows it', async (_name, changes, words) => {
  expect(waitWords(await lookWith(changes))).toBe(words);
});

test('waits that need a person are listed before those that end automatically', async () => {
  const blocked = { why: 'the service asked to wait', untilMs: NOW + 4_000 };
  const look = await lookWith({
    held: 1,
    state: { interrupted: true, importing: true },
    pace: { ...AT_LIMIT, blocked },
  });
  const waits = waitsFor(look);
  expect(waits.map(({ title }) => title)).toEqual([
    'Incomplete import.',
    '1 row needs an answer.',
    'Importing.',
    'Sending waits.',
  ]);
  expect(waits.at(-1)?.words).toBe('The service asked to wait, next try in 4 s. It continues automatically.');
});

test('a wait for memory says once that work continues automatically', async () => {
  const blocked = { why: nearlyFullWords(), because: 'memory', untilMs: NOW + 4_000 };
  const [wait] = waitsFor(await lookWith({ pace: { ...AT_LIMIT, blocked } }));
  expect(String(wait?.words).match(/goes on by itself/g)).toHaveLength(1);
});
