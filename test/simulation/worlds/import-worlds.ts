import { answers, board, cancels, HEADER, imports, lineFor, plans, resolves, resumes, retries } from './acts.ts';
import { archives, checksAtNight, forgets, nightsByRule, restores } from './nights.ts';
import type { WorldPlan } from './small-world.ts';

export const LIMIT_1 = 'limit of Buyer-1@example.com 1000 #1';
export const WORKERS = ['ann', 'bob'];
/** Settings that resend calls in doubt, also where that is not the default. */
export const RESENDS = { ON_UNKNOWN_COMPANY: 'resend', ON_UNKNOWN_LIMIT: 'resend' };
export const ONE_ROW = [['q4', 'Buyer 1', '1000']] as const;

/** A file, and the same with its line corrected. */
export const FILE = [HEADER, lineFor('Buyer 1', '1000')];
export const CORRECTED = [HEADER, lineFor('Buyer 1', '1200')];

/** An earlier import of that file, and a file with the line of a second buyer. */
export const IN = { ines: imports('q4', FILE) };
const BOTH_IN = { ines: imports('q4', [...FILE, lineFor('Buyer 2', '500')]) };
const THREE = [...FILE, lineFor('Buyer 2', '500'), lineFor('Buyer 3', '700')];

/** Worlds with files, approvals and nights. */
export const IMPORT_PLANS: readonly WorldPlan[] = [
  {
    name: 'imported twice at once',
    workers: ['ann'],
    rows: [],
    people: { ines: imports('q4', FILE), igor: imports('q4', FILE) },
  },
  {
    name: 'imported and corrected',
    workers: ['ann'],
    rows: [],
    people: { ines: imports('q4', FILE), igor: imports('q4', CORRECTED, { name: 'corrected' }) },
    atOnce: ['Buyer-1@example.com 1000', 'Buyer-1@example.com 1200'],
  },
  {
    name: 'corrected twice at once',
    workers: ['ann'],
    rows: [],
    before: IN,
    people: {
      igor: imports('q4', CORRECTED, { name: 'b' }),
      ivan: imports('q4', [HEADER, lineFor('Buyer 1', '1300')], { name: 'c' }),
    },
    atOnce: ['Buyer-1@example.com 1200', 'Buyer-1@example.com 1300'],
  },
  {
    name: 'corrected and retried',
    workers: ['ann'],
    rows: [],
    before: IN,
    people: {
      igor: imports('q4', CORRECTED, { name: 'corrected' }),
      rita: retries('q4', 'cancelled'),
      rolf: plans('q4', 'cancelled'),
    },
    atOnce: ['Buyer-1@example.com 1000', 'Buyer-1@example.com 1200'],
  },
  {
    name: 'mended on the way',
    workers: ['ann', 'bob'],
    rows: [],
    before: IN,
    people: {
      igor: imports('q4', [HEADER, `${lineFor('Buyer 1', '1000').replace(',B,', ',C,')}`], { name: 'mended' }),
    },
  },
  {
    name: 'imported under another name',
    workers: ['ann'],
    rows: [],
    people: { ines: imports('q4', FILE), igor: imports('q5', CORRECTED) },
  },
  {
    name: 'replaced',
    workers: ['ann'],
    rows: [],
    before: BOTH_IN,
    people: { igor: imports('q4', CORRECTED, { name: 'corrected', replace: true }), carl: cancels('q4') },
  },
  {
    name: 'the first row alone',
    workers: WORKERS,
    rows: [],
    people: { ines: imports('q4', THREE, { first: 1 }), rosa: resumes('q4') },
  },
  {
    name: 'the first row alone, refused and retried',
    workers: ['ann'],
    rows: [],
    people: { ines: imports('q4', THREE, { first: 1 }), rita: retries('q4'), olga: board },
    answers: { [LIMIT_1]: 'refused' },
  },
  {
    name: 'the first row alone, then two',
    workers: ['ann'],
    rows: [],
    people: {
      ines: imports('q4', THREE, { first: 1 }),
      igor: imports('q4', THREE, { name: 'again', first: 2 }),
      rosa: resumes('q4'),
    },
    answers: { 'limit of Buyer-2@example.com 500 #1': 'broken off, made' },
  },
  {
    name: 'approved',
    workers: ['ann'],
    env: { APPROVE_ALWAYS: 'on' },
    rows: [],
    before: BOTH_IN,
    people: { amy: answers('approve'), dan: answers('decline') },
  },
  {
    name: 'approved and imported again',
    workers: ['ann'],
    env: { APPROVE_ALWAYS: 'on' },
    rows: [],
    before: IN,
    people: { amy: answers('approve'), igor: imports('q4', CORRECTED, { name: 'corrected' }), carl: cancels('q4') },
  },
  {
    name: 'declined and wanted again',
    workers: ['ann'],
    env: { APPROVE_ABOVE: '900' },
    rows: [],
    before: IN,
    people: {
      dan: answers('decline'),
      igor: imports('q5', FILE),
      rita: retries('q4', 'cancelled'),
      amy: answers('approve'),
    },
  },
  {
    name: 'declined, then below the limit',
    workers: ['ann'],
    env: { APPROVE_ABOVE: '1200' },
    rows: [],
    before: BOTH_IN,
    people: { dan: answers('decline'), igor: imports('q5', FILE), amy: answers('approve') },
  },
  {
    name: 'answers that are approved',
    workers: ['ann'],
    env: { APPROVE_ALWAYS: 'on' },
    rows: [],
    before: IN,
    people: {
      amy: answers('approve'),
      yann: resolves('send again'),
      anna: answers('approve'),
      dan: answers('decline'),
    },
    answers: { [LIMIT_1]: '500, made' },
  },
  {
    name: 'retries that are approved',
    workers: ['ann'],
    env: { APPROVE_ALWAYS: 'on' },
    rows: [],
    before: IN,
    people: {
      amy: answers('approve'),
      rita: retries('q4'),
      anna: answers('approve'),
      dan: answers('decline'),
      olga: board,
    },
    answers: { [LIMIT_1]: 'refused' },
  },
  {
    name: 'archived and wanted elsewhere',
    workers: ['ann'],
    rows: [],
    before: IN,
    people: { ada: archives('q4'), igor: imports('q5', FILE), fred: forgets('q4') },
  },
  {
    name: 'restored, and a rule',
    workers: ['ann'],
    rows: [],
    before: IN,
    people: { ada: archives('q4'), rose: restores('q4'), nina: nightsByRule },
    answers: { [LIMIT_1]: 'refused', 'limit of Buyer-1@example.com 1000 #2': 'refused' },
  },
  {
    name: 'sent again by a rule',
    workers: ['ann'],
    env: { APPROVE_ABOVE: '900' },
    rows: ONE_ROW,
    people: { nina: nightsByRule, dan: answers('decline'), carl: cancels('q4') },
    answers: { [LIMIT_1]: 'refused' },
  },
  {
    name: 'Redis goes back',
    workers: WORKERS,
    rows: [...ONE_ROW, ['q4', 'Buyer 1', '2000'], ['q4', 'Buyer 2', '500']],
    answers: { 'company of Buyer 2 #1': 'late, made' },
    goesBack: true,
  },
  {
    name: 'the night beside',
    workers: ['ann'],
    rows: [...ONE_ROW, ['q4', 'Buyer 1', '2000'], ['q5', 'Buyer 1', '1000']],
    people: { nora: checksAtNight, carl: cancels('q5') },
  },
  {
    name: 'approved, and refused',
    workers: WORKERS,
    env: { APPROVE_ALWAYS: 'on' },
    rows: [],
    before: IN,
    people: { amy: answers('approve') },
    answers: { [LIMIT_1]: 'refused' },
  },
];
