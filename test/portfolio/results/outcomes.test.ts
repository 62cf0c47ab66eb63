import { expect, test } from 'vitest';
import { RESULT_COLUMNS } from '../../../src/portfolio/columns/result-columns.ts';
import { makeOutcomeReader, outcomeColumns } from '../../../src/portfolio/results/outcomes.ts';

const OWN = ['name', 'state', 'company_id', 'line'];
/** The result columns as written before there were columns for rows and outcomes. */
const EARLIER = RESULT_COLUMNS.slice(RESULT_COLUMNS.indexOf('state'), -1).filter((name) => name !== 'outcome');
const DIGEST = '-16-letters-long';
const KNOWN = `own:${DIGEST}:${DIGEST}:${DIGEST}:10.50`;
const CELLS = [
  'done',
  'limit',
  'company_2',
  'd1|d2',
  'bl_1',
  'approved',
  '10.50',
  '',
  "'=1+1",
  '2026-11-21T10:00:00.000Z',
  'acme',
];
const WITH_OUTCOME = [...CELLS.slice(0, -1), 'partly_approved', 'acme'];

function read(header: string[], cells: string[]) {
  const columns = outcomeColumns(header);
  if (!columns) throw new Error('no results file');
  return makeOutcomeReader(columns)(cells);
}

const told = {
  state: 'done',
  step: 'limit',
  companyId: 'company_2',
  documentIds: ['d1', 'd2'],
  limitId: 'bl_1',
  record: { status: 'approved', total_limit: '10.50' },
  problem: '=1+1',
  account: 'acme',
  sessionLink: '',
  updatedMs: Date.parse('2026-11-21T10:00:00.000Z'),
};

test("of equal column names the last ones are the results, and columns behind them are the team's own", () => {
  const cells = ['A', 'Bayern', 'company_1', '9', 'q4/k', 'q4.csv #1', '2', ...WITH_OUTCOME, KNOWN, 'a note'];
  expect(read([...OWN, ...RESULT_COLUMNS, 'our notes'], cells)).toEqual({
    ...told,
    row: 'q4/k',
    line: 2,
    known: { isOwn: true, buyer: DIGEST, asked: DIGEST, cells: DIGEST, amount: '10.50' },
  });
});

test('a results file of an earlier version has no row names', () => {
  expect(read([...OWN, ...EARLIER], ['A', 'Bayern', 'company_1', '9', ...CELLS])).toEqual({
    ...told,
    row: '',
    line: 0,
  });
});

test("a person's columns between the results are ignored", () => {
  const header = [...OWN, ...RESULT_COLUMNS].flatMap((name) => (name === 'status' ? ['our notes', name] : [name]));
  header.splice(header.indexOf('limitline_buyer'), 0, 'checked');
  const [before, after] = [WITH_OUTCOME.slice(0, 5), WITH_OUTCOME.slice(5)];
  const own = ['A', 'Bayern', 'company_1', '9'];
  const cells = [...own, 'q4/k', 'q4.csv #1', '2', ...before, 'a note', ...after, 'yes', KNOWN];
  expect(read(header, cells)).toMatchObject({ ...told, row: 'q4/k', line: 2, known: { amount: '10.50' } });
});

test.each([
  ['a file of buyers', OWN],
  [
    'a header with a second status among the results',
    RESULT_COLUMNS.toSpliced(RESULT_COLUMNS.indexOf('step'), 0, 'status'),
  ],
  [
    'a header with a second problem among the results',
    RESULT_COLUMNS.toSpliced(RESULT_COLUMNS.indexOf('updated'), 0, 'problem'),
  ],
  ['a header without all result columns', [...OWN, ...RESULT_COLUMNS.slice(0, -2)]],
])('%s is not recognised as a results file', (_what, header) => {
  expect(outcomeColumns(header)).toBeUndefined();
});

test('a status keeps its white space, as the service wrote it', () => {
  const cells = CELLS.with(CELLS.indexOf('approved'), ' in review ');
  expect(read([...OWN, ...EARLIER], ['A', 'Bayern', 'company_1', '9', ...cells]).record.status).toBe(' in review ');
});
