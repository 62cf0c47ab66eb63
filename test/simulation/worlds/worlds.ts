import type { World } from '../run/simulation.ts';
import { board, cancels, pauses, plans, resolves, resumes, retries } from './acts.ts';
import { IMPORT_PLANS, LIMIT_1, ONE_ROW, RESENDS, WORKERS } from './import-worlds.ts';
import { PAPER_PLANS } from './paper-worlds.ts';
import { smallWorld, type WorldPlan } from './small-world.ts';
import { UNLUCKY_PLANS } from './unlucky-worlds.ts';

const PLANS: readonly WorldPlan[] = [
  { name: 'one row', workers: WORKERS, rows: ONE_ROW },
  {
    name: 'one buyer, two amounts',
    workers: WORKERS,
    rows: [
      ['q4', 'Buyer 1', '1000'],
      ['q4', 'Buyer 1', '2000'],
    ],
  },
  {
    name: 'one request in two portfolios',
    workers: WORKERS,
    rows: [
      ['q4', 'Buyer 1', '1000'],
      ['q5', 'Buyer 1', '1000'],
    ],
  },
  { name: 'resent by settings', workers: WORKERS, env: RESENDS, rows: ONE_ROW },
  {
    name: 'one worker with a key',
    workers: WORKERS,
    keyed: ['ann'],
    rows: ONE_ROW,
    people: { yann: resolves('send again'), zack: resolves('as it is') },
    answers: { [LIMIT_1]: 'too late, 500' },
  },
  { name: 'one worker with a key, resent by settings', workers: WORKERS, keyed: ['ann'], env: RESENDS, rows: ONE_ROW },
  {
    name: 'workers with keys',
    workers: WORKERS,
    keyed: WORKERS,
    rows: ONE_ROW,
    answers: { [LIMIT_1]: 'broken off, made' },
  },
  {
    name: 'answered for another, in two portfolios',
    workers: WORKERS,
    env: RESENDS,
    rows: [...ONE_ROW, ['q5', 'Buyer 1', '1000']],
    answers: { [LIMIT_1]: 'not ours' },
  },
  {
    name: 'taken for vanished',
    workers: WORKERS,
    rows: ONE_ROW,
    people: { yann: resolves('send again'), zack: resolves('as it is') },
    answers: { [LIMIT_1]: 'too late, made' },
  },
  {
    name: 'taken for vanished, and resent',
    workers: WORKERS,
    env: RESENDS,
    rows: ONE_ROW,
    answers: { [LIMIT_1]: 'too late, made', 'company of Buyer 1 #1': 'too late, refused' },
  },
  {
    name: 'refused too late, in two portfolios',
    workers: WORKERS,
    rows: [...ONE_ROW, ['q5', 'Buyer 1', '1000'], ['q4', 'Buyer 1', '2000']],
    answers: { [LIMIT_1]: 'too late, refused', 'company of Buyer 1 #1': 'too late, made' },
  },
  { name: 'the board', workers: WORKERS, rows: ONE_ROW, people: { olga: board }, answers: { [LIMIT_1]: 'refused' } },
  {
    name: 'the board and a held row',
    workers: WORKERS,
    rows: ONE_ROW,
    people: { olga: board },
    answers: { [LIMIT_1]: 'broken off, made' },
  },
  {
    name: 'retried and cancelled',
    workers: WORKERS,
    rows: ONE_ROW,
    people: { rita: retries('q4'), carl: cancels('q4') },
    answers: { [LIMIT_1]: 'refused' },
  },
  {
    name: 'a plan of retries and the board',
    workers: WORKERS,
    rows: [...ONE_ROW, ['q4', 'Buyer 2', '500']],
    people: { rita: plans('q4', 'refused'), olga: board },
    answers: { [LIMIT_1]: 'refused' },
  },
  {
    name: 'cancelled and wanted again',
    workers: WORKERS,
    rows: ONE_ROW,
    people: { carl: cancels('q4'), rita: retries('q4', 'cancelled') },
  },
  {
    name: 'cancelled on the way',
    workers: WORKERS,
    rows: [...ONE_ROW, ['q4', 'Buyer 1', '2000']],
    people: { carl: cancels('q4', ({ rows }) => rows.some(({ state }) => state === 'limit')) },
    answers: { [LIMIT_1]: 'broken off, made' },
  },
  {
    name: 'paused',
    workers: WORKERS,
    rows: [...ONE_ROW, ['q4', 'Buyer 2', '500']],
    people: { paul: pauses('q4') },
    answers: { 'company of Buyer 1 #1': 'late, made', 'company of Buyer 2 #1': 'late, made' },
  },
  {
    name: 'resolved by plans',
    workers: WORKERS,
    rows: [...ONE_ROW, ['q4', 'Buyer 2', '500']],
    people: { yann: plans('q4', 'held'), yves: plans('q4', 'held') },
    answers: { [LIMIT_1]: 'broken off, made', 'limit of Buyer-1@example.com 1000 #2': 'broken off, made' },
  },
  {
    name: 'paused and resumed',
    workers: WORKERS,
    rows: [...ONE_ROW, ['q4', 'Buyer 2', '500']],
    people: { paul: pauses('q4'), rosa: resumes('q4') },
  },
  {
    name: 'resolved twice',
    workers: WORKERS,
    rows: ONE_ROW,
    people: { zack: resolves('as it is'), yann: resolves('send again') },
    answers: { [LIMIT_1]: 'broken off, made' },
  },
  {
    name: 'resolved in two portfolios',
    workers: WORKERS,
    rows: [...ONE_ROW, ['q5', 'Buyer 1', '1000']],
    people: { zack: resolves('as it is'), yann: plans('q5', 'held'), carl: cancels('q4') },
    answers: { [LIMIT_1]: '500, not made' },
  },
  {
    name: 'late answers and people',
    workers: WORKERS,
    rows: [...ONE_ROW, ['q4', 'Buyer 1', '2000']],
    people: { yann: resolves('send again') },
    answers: { 'company of Buyer 1 #1': 'late, made' },
  },
  ...IMPORT_PLANS,
  ...UNLUCKY_PLANS,
  ...PAPER_PLANS,
];

export const WORLDS: readonly World[] = PLANS.map(smallWorld);
