import { supplierOf } from '../check/rows-now.ts';
import { answers, cancels, HEADER, imports, lineFor, PAPERS_HEADER, plans, resolves, retries } from './acts.ts';
import type { WorldPlan } from './small-world.ts';

const BUYER_1 = lineFor('Buyer 1', '1000');
const BUYER_2 = lineFor('Buyer 2', '500');
const ONE_PAPER = imports('q4', [PAPERS_HEADER, `${BUYER_1},a.pdf`, `${BUYER_2},a.pdf`], { papers: ['a.pdf'] });
const SUPPLIED = { supplier: 'Supplier' };

/** Worlds with documents, and with a supplier. */
export const PAPER_PLANS: readonly WorldPlan[] = [
  { name: 'one document of two rows', workers: ['ann', 'bob'], rows: [], before: { ines: ONE_PAPER } },
  {
    name: 'a document in doubt',
    workers: ['ann', 'bob'],
    env: { ON_UNKNOWN_DOCUMENT: 'hold' },
    rows: [],
    before: { ines: ONE_PAPER },
    people: {
      yann: resolves('as it is'),
      yves: plans('q4', 'held'),
      carl: cancels('q4', ({ rows }) => rows.some(({ state }) => state === 'held')),
    },
    answers: { 'document of a.pdf #1': '500, made' },
  },
  {
    name: 'a document, and a company that is refused',
    workers: ['ann'],
    rows: [],
    before: {
      ines: imports('q4', [PAPERS_HEADER, `${BUYER_1},a.pdf|b.pdf`, `${BUYER_2},b.pdf`], {
        papers: ['a.pdf', 'b.pdf'],
      }),
    },
    people: { rita: retries('q4') },
    answers: { 'company of Buyer 1 #1': 'refused', 'document of b.pdf #1': 'refused' },
  },
  {
    name: 'a supplier that is approved',
    workers: ['ann'],
    env: { APPROVE_ALWAYS: 'on' },
    rows: [],
    people: { ines: imports('q4', [HEADER, BUYER_1], SUPPLIED), amy: answers('approve'), dan: answers('decline') },
  },
  {
    name: 'one supplier of two portfolios',
    workers: ['ann', 'bob'],
    rows: [],
    people: {
      ines: imports('q4', [HEADER, BUYER_1], SUPPLIED),
      igor: imports('q5', [HEADER, BUYER_2], SUPPLIED),
      carl: cancels('q4'),
    },
  },
  {
    name: 'a supplier in doubt',
    workers: ['ann'],
    rows: [],
    people: {
      ines: imports('q4', [HEADER, BUYER_1], SUPPLIED),
      yves: plans('q4', 'held'),
      carl: cancels('q4', ({ portfolios }) => portfolios.some((one) => supplierOf(one)?.problem !== undefined)),
      rita: plans('q4', 'cancelled'),
    },
    answers: { 'company of Supplier #1': '500, not made' },
  },
];
