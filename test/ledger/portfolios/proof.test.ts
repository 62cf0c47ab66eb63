import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import type { KnownImport } from '../../../src/ledger/portfolios/imports.ts';
import type { PortfolioState } from '../../../src/ledger/portfolios/portfolio.ts';
import { type Check, overallOf, proofOf } from '../../../src/ledger/portfolios/proof.ts';
import { retryRows } from '../../support/approved-portfolio.ts';
import { openLedger } from '../../support/ledger.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const file = { id: 'f1', fileName: 'a.csv', reading: '{}' };
const found = { lines: 13, rows: 10, invalid: 2, duplicate: 1 };
const known: KnownImport = { ...file, number: 1, lastMs: 1, found };

async function stateWith(changes: Partial<PortfolioState>): Promise<PortfolioState> {
  const { portfolios } = openLedger();
  const empty = await portfolios.read('q4');
  const states = { ...empty.states, done: 7, refused: 1, held: 1, queued: 1 };
  const counts = { invalid: 1, kept: 1, duplicate: 1, counted: { added: { 1: 10 }, limitsMade: 7 } };
  return { ...empty, startedMs: 1, file: { ...file, number: 1 }, states, ...counts, ...changes };
}

const checkOf = async (of: string, changes: Partial<PortfolioState>, imports = [known]) =>
  proofOf(await stateWith(changes), imports).find((check) => check.of === of);

describe('a portfolio whose counts agree', () => {
  test('is reported as right, with its figures', async () => {
    const checks = proofOf(await stateWith({}), [known]);
    expect(checks.map(({ is, figures }) => [is, figures])).toEqual([
      ['right', '13 lines = 10 rows + 2 invalid + 1 duplicate'],
      ['right', '10 rows imported = 10 in all states together'],
      ['right', '7 rows done = 7 limits made'],
      ['right', 'nothing made twice'],
    ]);
    expect(overallOf(checks)).toBe('right');
  });

  test('is open while its file was not read to the end or a limit is still being recorded', async () => {
    const { found: _found, ...unread } = known;
    expect(await checkOf('lines', { importing: true }, [unread])).toMatchObject({ is: 'open' });
    expect(await checkOf('lines', { interrupted: true }, [unread])).toMatchObject({
      is: 'open',
      words: expect.stringContaining('import it again'),
    });
    expect(await checkOf('limits', { counted: { added: { 1: 10 }, limitsMade: 8 } })).toMatchObject({ is: 'open' });
  });

  test('is unknown if it is older than the counts', async () => {
    const { found: _found, ...uncounted } = known;
    const checks = proofOf(await stateWith({ counted: undefined }), [uncounted]);
    expect(checks.map(({ is }) => is)).toEqual(['unknown', 'unknown', 'unknown', 'right']);
    expect(overallOf(checks)).toBe('unknown');
  });
});

test.each<[string, string, Partial<PortfolioState>, RegExp]>([
  ['a line without a row', 'lines', { invalid: 0 }, /^1 line of the file led to nothing/],
  ['a line too many', 'lines', { duplicate: 3 }, /^The ledger knows 2 lines more/],
  ['a lost row', 'rows', { counted: { added: { 1: 9, 2: 2 }, limitsMade: 7 } }, /^1 imported row is in no state/],
  [
    'a row that is counted twice',
    'rows',
    { counted: { added: { 1: 8 }, limitsMade: 7 } },
    /^2 rows are in more than one state/,
  ],
  [
    'a done row without a limit',
    'limits',
    { counted: { added: { 1: 10 }, limitsMade: 5 } },
    /^2 done rows have no limit/,
  ],
  [
    'limits without a done row',
    'limits',
    { counted: { added: { 1: 10 }, limitsMade: 12 } },
    /^3 limits were made whose rows are not done/,
  ],
  ['a thing that was made twice', 'twice', { madeTwice: 1 }, /both ids/],
])('the proof is wrong and explains %s', async (_name, of, changes, words) => {
  expect(await checkOf(of, changes)).toMatchObject({ is: 'wrong', words: expect.stringMatching(words) });
});

// Promises: every-line-accounted-for, rows-accounted-for
test('the counts of a portfolio agree after holding, refusing, cancelling, retrying and importing again', async () => {
  const lost = { on: 'limit', match: 'HRB 2', fault: 'reset', made: true, times: 1 } as const;
  const refused = { on: 'limit', match: 'HRB 3', fault: 'status', status: 422, times: 1 } as const;
  const place = await openWorkplace({ faults: { rules: [lost, refused] } });
  const { portfolios } = place.context;
  const unproved = async () =>
    proofOf(await portfolios.read('q4'), await portfolios.allImports('q4')).filter(({ is }) => is !== 'right');
  const lines = buyerLines(6);
  await place.import([...lines, lines[1] ?? '', 'No limit GmbH,DE,HRB 9,']);
  expect(await unproved()).toEqual([]);
  await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 4, refused: 1, held: 1 });
  // The limit whose answer was lost was made, but Limitline does not know it.
  expect(await unproved()).toEqual([]);
  const [made] = place.standIn.things('limit').filter(({ body }) => JSON.stringify(body).includes('HRB 2'));
  await resolveCalls({ portfolio: 'q4', line: 3, made: made?.id }, place.context);
  await retryRows({ portfolio: 'q4', state: 'refused' }, place.context);
  expect((await place.settled()).states).toMatchObject({ done: 6 });
  expect(await unproved()).toEqual([]);
  await place.import([...buyerLines(8), 'No limit GmbH,DE,HRB 9,']);
  expect((await place.settled()).states).toMatchObject({ done: 8 });
  expect(await unproved()).toEqual([]);
  await portfolios.pause('twin', 'by request');
  await place.import(buyerLines(7), { portfolio: 'twin' });
  const checks = proofOf(await portfolios.read('twin'), await portfolios.allImports('twin'));
  expect(checks.map(({ figures }) => figures)).toEqual([
    '7 lines = 7 rows + 0 invalid + 0 duplicate',
    '7 rows imported = 7 in all states together',
    '0 rows done = 0 limits made',
    'nothing made twice',
  ]);
});

test.each<[string, Record<string, string>, Partial<Check>]>([
  ['a document was resent', {}, { is: 'unknown', figures: '1 document allowed a second sending' }],
  [
    'the service recognises the repetition',
    { SERVICE_IDEMPOTENCY_HEADER: 'Idempotency-Key' },
    { is: 'right', figures: 'nothing made twice' },
  ],
])(
  'a resent call leaves the proof unknown unless the service recognises repetitions: %s',
  async (_name, env, expected) => {
    const rules = [{ on: 'document', fault: 'reset', made: true, times: 1 } as const];
    const place = await openWorkplace({ faults: { rules }, env });
    await mkdir(join(place.dir, 'documents'));
    await writeFile(join(place.dir, 'documents', 'a.pdf'), '%PDF-1.4\n%%EOF\n');
    await place.import(['name,requested_limit,supporting_documents', 'One AG,5,a.pdf']);
    await place.work();
    expect(await place.settled()).toMatchObject({
      states: { done: 1 },
      resent: { document: expected.is === 'right' ? 0 : 1 },
    });
    const checks = proofOf(await place.context.portfolios.read('q4'), []);
    expect(checks.find(({ of }) => of === 'twice')).toMatchObject(expected);
  },
);

test('a call that a person has sent again counts as allowed twice', async () => {
  const rules = [{ on: 'limit', fault: 'reset', made: true, times: 1 } as const];
  const place = await openWorkplace({ faults: { rules } });
  await place.import(buyerLines(1));
  await place.work();
  expect((await place.settled()).states).toMatchObject({ held: 1 });
  await place.context.portfolios.pause('q4', '');
  await resolveCalls({ portfolio: 'q4', line: 2 }, place.context);
  const state = await place.context.portfolios.read('q4');
  expect(proofOf(state, [])).toContainEqual(expect.objectContaining({ figures: '1 limit allowed a second sending' }));
  await place.context.portfolios.resume('q4');
  expect(await place.settled()).toMatchObject({ states: { done: 1 }, resent: { limit: 1 } });
});
