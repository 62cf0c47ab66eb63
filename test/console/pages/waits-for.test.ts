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
  ['goes on at the pace', {}, "at the service's limit, 98 calls/s"],
  ['is finished', { open: 0 }, 'finished'],
  ['is finished beside rejected rows', { open: 0, refused: 1_200 }, 'finished, 1,200 rejected'],
  ['waits for no worker once it is finished', { open: 0, workers: 0 }, 'finished'],
  ['has no worker', { workers: 0 }, 'Sending is stopped'],
  ['waits at a paused queue', { pausedQueues: ['companies'] }, 'Queue paused'],
  ['is paused, whatever else there is', { workers: 0, state: { paused: 'by request' } }, 'Paused'],
  ['was cut off', { state: { interrupted: true } }, 'Incomplete import'],
  ['has held rows', { held: 2 }, '2 rows need an answer'],
  ['is being imported', { state: { importing: true } }, 'Importing'],
  [
    'waits some seconds for the limit of the service',
    { pace: { ...AT_LIMIT, blocked: { why: 'the service asked to wait', because: 'limit', untilMs: NOW + 4_000 } } },
    'the service asked to wait, next try in 4 s',
  ],
  [
    'waits long for the limit of the service',
    { pace: { ...AT_LIMIT, blocked: { why: 'asked', because: 'limit', untilMs: NOW + 60_000 } } },
    'Sending waits',
  ],
  ['waits for the service', { pace: { ...AT_LIMIT, blocked: { why: 'gone', untilMs: NOW + 4_000 } } }, 'Sending waits'],
  [
    'waits behind a breaker',
    { pace: { ...AT_LIMIT, tripped: [{ kind: 'limit', why: 'status 502', untilMs: NOW, isTried: true }] } },
    'Some requests wait',
  ],
  ['waits for its supplier', { state: { supplier: { body: {} } } }, 'Supplier first'],
  ['sends a few first', { state: { first: 5 } }, 'First rows only'],
  ['sent a few first and is finished', { open: 0, state: { first: 5 } }, 'finished'],
  ['begins', { pace: undefined }, 'starting'],
])('a portfolio that %s says so', async (_name, changes, words) => {
  expect(waitWords(await lookWith(changes))).toBe(words);
});

test('all that a person must do comes before what goes on by itself', async () => {
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

test('that work goes on by itself once there is memory is said once', async () => {
  const blocked = { why: nearlyFullWords(), because: 'memory', untilMs: NOW + 4_000 };
  const [wait] = waitsFor(await lookWith({ pace: { ...AT_LIMIT, blocked } }));
  expect(String(wait?.words).match(/goes on by itself/g)).toHaveLength(1);
});
