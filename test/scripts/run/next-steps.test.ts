import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { LeftResults } from '../../../jobs/export/leave-results.ts';
import { leaveResultsOf, sayNextSteps } from '../../../scripts/run/next-steps.ts';
import type { Summary } from '../../../src/ledger/portfolios/summary.ts';
import { ROW_STATES, type RowState } from '../../../src/ledger/schema/row.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const NONE_LEFT: LeftResults = {
  results: null,
  errors: null,
  removed: [],
  uncorrected: [],
  kept: [],
  taken: [],
  outdated: [],
  fault: null,
};

function summaryOf(some: Partial<Record<RowState, number>>, others: Partial<Summary> = {}): Summary {
  const states = { ...Object.fromEntries(ROW_STATES.map((state) => [state, 0])), ...some };
  const counts = {
    invalid: 0,
    duplicate: 0,
    kept: 0,
    madeTwice: 0,
    replaced: 0,
    grantedBelow: 0,
    grantedNothing: 0,
    meanings: {},
  };
  const answers = { statuses: { approved: some.done ?? 0 }, before: { granted: '0.00', statuses: {} } };
  const outcomes = {
    not_sent: { rows: some.cancelled ?? 0, requested: '0', granted: '0' },
    partly_approved: { rows: others.grantedBelow ?? 0, requested: '0', granted: '0' },
  };
  return { ...counts, ...answers, outcomes, money: { currencies: ['EUR'] }, ...others, states } as Summary;
}

function said(summary: Summary, left?: Partial<LeftResults>, documents?: string): string[] {
  const sentences: string[] = [];
  const files = left && { ...NONE_LEFT, ...left };
  sayNextSteps(
    { portfolio: 'q4', path: 'q4.csv', documents },
    { summary, left: files },
    { say: (text) => sentences.push(text) },
  );
  return sentences.map((text) => text.replace(/^limitline: /, ''));
}

test.each<[string, string[], string[]]>([
  ['nothing is printed when all is granted and no file was written', said(summaryOf({ done: 3 })), []],
  [
    'the results file is named',
    said(summaryOf({ done: 3 }), { results: 'q4.results.csv' }),
    ['results: q4.results.csv'],
  ],
  [
    'the errors file is named with the command for it',
    said(summaryOf({ done: 1, refused: 1 }), { errors: 'q4.errors.csv' }, 'docs'),
    ['mend these lines: q4.errors.csv; then: npx limitline run "q4.errors.csv" --portfolio "q4" --documents "docs"'],
  ],
  [
    'cancelled rows in the errors file are counted',
    said(summaryOf({ done: 1, cancelled: 25 }, { invalid: 1 }), { errors: 'q4.errors.csv' }),
    [
      'mend these lines (the file also has 25 cancelled rows: delete those that are not to be requested): q4.errors.csv; then: npx limitline run "q4.errors.csv" --portfolio "q4"',
    ],
  ],
  [
    'without an errors file, the report command for it is printed',
    said(summaryOf({ done: 1 }, { invalid: 2 })),
    ['to see the lines to mend: npx limitline report "q4" --format errors-csv'],
  ],
  [
    'held rows need an answer, and no correction',
    said(summaryOf({ held: 1 })),
    [
      '1 row is held, because the outcome of a call is unknown. Ask the service what became of it. To say what became of held calls, write them to a file: npx limitline report "q4" --state held --like-input --out held.csv; in its column id, write the id of what was made, or resend; then run: npx limitline resolve "q4" --from held.csv',
    ],
  ],
  [
    'the sum of rows that wait for approval is printed',
    said(summaryOf({ awaiting: 5 }, { byState: { awaiting: '1080000.50' } as Summary['byState'] })),
    [
      "5 rows, EUR 1,080,000.50 in all, wait for another person's approval, and are not sent before it. Once it is given, run the same command again, or keep a worker running: npx limitline work",
    ],
  ],
  [
    'an errors file that is kept for its lines is named, unless it is the file of the run',
    said(summaryOf({ done: 1 }), { uncorrected: ['q5.errors.csv', resolve('q4.csv')] }),
    ['q5.errors.csv stays as it is: it has lines of an earlier file, which no later file corrected.'],
  ],
  ['cancelled rows alone need no correction', said(summaryOf({ done: 1, cancelled: 2 })), []],
  [
    'a cancelled row that another row replaced needs no correction',
    said(summaryOf({ done: 1, cancelled: 1 }, { replaced: 1 })),
    [],
  ],
  [
    'limits that were not granted as requested come first',
    said(summaryOf({ done: 2 }, { grantedBelow: 2 }), { results: 'q4.results.csv' }),
    ['answered, but not granted as requested (2 limits granted below the request).', 'results: q4.results.csv'],
  ],
  [
    'the file that was just imported is kept',
    said(summaryOf({ done: 1 }), { taken: [resolve('q4.csv')] }),
    ['q4.csv stays as it is: it was just imported.'],
  ],
  [
    'files of earlier runs are reported as removed, or as kept with the reason',
    said(summaryOf({ done: 1 }), { taken: ['a.csv'], outdated: ['b.csv'], removed: ['c.csv'], kept: ['d.csv'] }),
    [
      'a.csv stays as it is: it is no file of this portfolio in this account, or somebody changed it.',
      'b.csv was removed: it was out of date.',
      'c.csv was removed: no line is left to correct.',
      'd.csv stays as it is: it is no file of this portfolio in this account, or somebody changed it. Of this portfolio no line is left to correct.',
    ],
  ],
])('at the end of a run %s', (_title, sentences, expected) => {
  expect(sentences).toEqual(expected);
});

test('a run with cancelled rows only writes no errors file', async () => {
  const { import: importLines, context, report, dir } = await openWorkplace();
  await importLines(buyerLines(2));
  const found = await report();
  if (!found) throw new Error('no portfolio');
  const run = { portfolio: 'q4', path: resolve(dir, 'q4.csv') };
  const leave = (summary: Summary) => leaveResultsOf(run, summary, { context, stop: new AbortController().signal });
  const cancelled = { ...found, states: { ...found.states, queued: 0, cancelled: 2 } };
  expect(await leave(cancelled)).toMatchObject({ results: resolve(dir, 'q4.results.csv'), errors: null, fault: null });
  expect(await leave({ ...cancelled, duplicate: 1 })).toMatchObject({ errors: resolve(dir, 'q4.errors.csv') });
});
