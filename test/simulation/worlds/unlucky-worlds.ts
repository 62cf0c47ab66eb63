import { answers, board, cancels, HEADER, imports, lineFor, resolves, retries } from './acts.ts';
import type { Act } from './desk.ts';
import { CORRECTED, FILE, IN, LIMIT_1, ONE_ROW, RESENDS, WORKERS } from './import-worlds.ts';
import { archives, behindArchive } from './nights.ts';
import type { WorldPlan } from './small-world.ts';

const LIMIT_1_AGAIN = 'limit of Buyer-1@example.com 1000 #2';
const CORRECTION = imports('q4', CORRECTED, { name: 'corrected' });

/** Does this as soon as a row is held. */
const onceHeld =
  (act: Act): Act =>
  async (desk) => {
    if (await desk.until(({ rows }) => rows.some(({ state }) => state === 'held'))) await act(desk);
  };

/** Does this as soon as somebody declined. */
const onceDeclined =
  (act: Act): Act =>
  async (desk) => {
    if (await desk.until(({ approvals }) => approvals.some(({ standing }) => standing === 'declined'))) await act(desk);
  };

/** Worlds in which the service always has bad answers. */
export const UNLUCKY_PLANS: readonly WorldPlan[] = [
  {
    name: 'resent, and refused then',
    workers: WORKERS,
    env: RESENDS,
    rows: ONE_ROW,
    answers: { [LIMIT_1]: 'broken off, made', [LIMIT_1_AGAIN]: 'refused' },
  },
  {
    name: 'lost too late, and resent',
    workers: WORKERS,
    env: RESENDS,
    rows: ONE_ROW,
    answers: { [LIMIT_1]: 'too late, 500', [LIMIT_1_AGAIN]: 'late, made' },
  },
  {
    name: 'lost too late, among three',
    workers: [...WORKERS, 'cid'],
    env: RESENDS,
    rows: ONE_ROW,
    answers: { [LIMIT_1]: 'too late, 500', [LIMIT_1_AGAIN]: 'never, made' },
  },
  {
    name: 'resent behind another',
    workers: ['ann'],
    env: RESENDS,
    rows: [...ONE_ROW, ['q4', 'Buyer 2', '500']],
    answers: { 'limit of Buyer-2@example.com 500 #1': '500, not made' },
  },
  {
    name: 'given up while it is resent',
    workers: ['ann'],
    env: RESENDS,
    rows: ONE_ROW,
    people: {
      carl: cancels('q4', ({ calls }) => calls.some(({ kind, fields }) => kind === 'limit' && fields.sends === '2')),
    },
    answers: { [LIMIT_1]: 'never, made' },
  },
  {
    name: 'refused, and retried twice',
    workers: WORKERS,
    rows: ONE_ROW,
    people: { rita: retries('q4'), rolf: retries('q4'), olga: board },
    answers: { [LIMIT_1]: 'refused', [LIMIT_1_AGAIN]: 'refused' },
  },
  {
    name: 'corrected while its answer is lost',
    workers: WORKERS,
    rows: [],
    before: IN,
    people: { igor: CORRECTION, yann: resolves('as it is') },
    answers: { [LIMIT_1]: 'broken off, made' },
  },
  {
    name: 'corrected while it is held',
    workers: ['ann'],
    rows: [],
    before: IN,
    people: { igor: onceHeld(CORRECTION), carl: onceHeld(cancels('q4')) },
    answers: { [LIMIT_1]: 'broken off, made' },
  },
  {
    name: 'corrected behind an archive',
    workers: ['ann'],
    rows: [],
    before: IN,
    people: {
      igor: behindArchive('q4', imports('q5', FILE), imports('q5', CORRECTED, { name: 'corrected' })),
      ada: archives('q4'),
    },
    answers: { [LIMIT_1]: 'refused' },
    atOnce: ['Buyer-1@example.com 1000', 'Buyer-1@example.com 1200'],
  },
  {
    name: 'answered with an archived id',
    workers: ['ann'],
    rows: [],
    before: IN,
    people: { ada: archives('q4'), igor: behindArchive('q4', imports('q5', [HEADER, lineFor('Buyer 2', '500')])) },
    answers: { 'limit of Buyer-2@example.com 500 #1': 'the id of another' },
  },
  {
    name: 'declined of a call that two portfolios share',
    workers: ['ann'],
    env: { APPROVE_ABOVE: '2500', APPROVE_WINDOW_DAYS: '0' },
    rows: [
      ['q4', 'Buyer 1', '3000'],
      ['q5', 'Buyer 1', '7'],
    ],
    people: {
      yann: resolves('send again', 'q4'),
      dan: answers('decline'),
      yves: onceDeclined(resolves('send again', 'q5')),
    },
    answers: { 'company of Buyer 1 #1': '500, made' },
  },
  {
    name: 'given up while it is brought in',
    workers: ['ann'],
    rows: [],
    people: { ines: imports('q4', [...FILE, lineFor('Buyer 2', '500')]), carl: cancels('q4') },
    leavesImports: true,
  },
  {
    name: 'two files at once',
    workers: ['ann'],
    rows: [],
    people: { ines: imports('q4', FILE), igor: imports('q4', [HEADER, lineFor('Buyer 2', '500')], { name: 'other' }) },
    leavesImports: true,
  },
];
