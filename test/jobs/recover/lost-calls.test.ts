import { expect, test } from 'vitest';
import { lostCallsOf } from '../../../jobs/recover/lost-calls.ts';
import type { Line } from '../../../src/portfolio/lines/row.ts';
import type { ResultOutcome } from '../../../src/portfolio/results/outcomes.ts';

const KEY = 'row-key-16-chars';
const OWN_KEY = 'own-key-16-chars';

const row: Line = {
  kind: 'row',
  line: 7,
  cells: [],
  changed: [],
  warnings: [],
  row: {
    key: OWN_KEY,
    buyer: 'buyer',
    name: 'A',
    documents: [{ name: 'a.pdf', path: '', sizeBytes: 0, mediaType: '' }],
    company: { name: 'A', address: { state: null } },
    limit: { requested_limit: '1' },
  },
};
const broken: Line = { kind: 'invalid', line: 7, cells: [], changed: [], key: '', problems: [] };

const outcome = (changes: Partial<ResultOutcome>): ResultOutcome => ({
  row: `q4/${KEY}`,
  state: 'done',
  step: 'limit',
  companyId: 'company_1',
  sessionLink: '',
  documentIds: [],
  limitId: '',
  record: {},
  problem: '',
  account: 'x',
  line: 7,
  updatedMs: 0,
  ...changes,
});

/** The recovered calls, as `<outcome> <kind> <keys>`. */
async function told(line: Line, changes: Partial<ResultOutcome>): Promise<string[]> {
  const { calls, leftOut, uploads } = await lostCallsOf(line, outcome(changes));
  return [...calls.map(({ is, kind, keys }) => `${is} ${kind} ${keys.join('+')}`), ...leftOut, ...uploads];
}

const OWN_ROW = { row: `q4/${OWN_KEY}` };
const known = { isOwn: true, buyer: 'known', asked: 'asked', cells: 'cells', amount: '1' };
const made = `made limit ${KEY}`;
const weak =
  'the line may have been changed since it was requested, and the file does not name its buyer: its company or its limit might be requested again';
const company = 'made company buyer';
const changed = 'changed after it was requested (sent: 2); the request stays as it was sent';
const inDoubt =
  'It is unknown whether the buyer limit request was made: sent 2026-11-21T10:00:00.000Z, then status 502';

test.each<[string, Line, Partial<ResultOutcome>, string[]]>([
  [
    'a limit is recovered under its key',
    row,
    { row: `q4/${OWN_KEY}`, limitId: 'bl_1' },
    [company, `made limit ${OWN_KEY}`],
  ],
  [
    'a limit requested for another company is recovered by the cells of its line',
    row,
    { row: '', state: 'skipped', limitId: 'bl_1', problem: 'requested for "B", DE, in portfolio q3' },
    [company, `made limit ${OWN_KEY}`],
  ],
  ['a limit that waits for approval was not sent', row, { ...OWN_ROW, state: 'awaiting' }, [company]],
  [
    'a row waiting with an answer for a call in doubt is recovered as unknown',
    row,
    { ...OWN_ROW, state: 'awaiting', problem: inDoubt },
    [company, `unknown limit ${OWN_KEY}`],
  ],
  [
    "a limit is recovered under the file's key if its cells lead to another",
    row,
    { limitId: 'bl_1' },
    [company, made, weak],
  ],
  [
    "a limit of a changed line is recovered under the file's key only",
    row,
    { limitId: 'bl_1', problem: changed },
    [made, weak],
  ],
  ["a limit of a broken line is recovered under the file's key only", broken, { limitId: 'bl_1' }, [made, weak]],
  ['the company of a broken line is left out', broken, { state: 'refused' }, [weak]],
  [
    'the recorded buyer counts, whatever the cells contain',
    row,
    { limitId: 'bl_1', known },
    ['made company known', made, expect.stringContaining('a line that identifies its buyer in another way')],
  ],
  [
    'a limit without a row or buyer is left out',
    broken,
    { limitId: 'bl_1', row: '' },
    ['limit bl_1: the line does not say which row or buyer it belongs to'],
  ],
  [
    'a refused row is not in doubt',
    row,
    { ...OWN_ROW, state: 'refused', problem: 'The service refused the limit' },
    [company],
  ],
  ['a waiting row has no calls', row, { state: 'queued', step: 'company', companyId: '' }, []],
  [
    'a held row is in doubt',
    row,
    { ...OWN_ROW, state: 'held', problem: inDoubt },
    [company, `unknown limit ${OWN_KEY}`],
  ],
  [
    'a held row is in doubt at its step',
    row,
    { ...OWN_ROW, state: 'held', step: 'company', companyId: '', problem: inDoubt },
    ['unknown company buyer'],
  ],
  ['a row that was under way is in doubt', row, { ...OWN_ROW, state: 'limit' }, [company, `unknown limit ${OWN_KEY}`]],
  [
    'a missing document is left out',
    row,
    { ...OWN_ROW, documentIds: ['d1'] },
    [company, 'document a.pdf is not in the folder of --documents, and may be uploaded again'],
  ],
])('%s', async (_title, line, changes, expected) => {
  expect(await told(line, changes)).toEqual(expected);
});

test('a held row keeps the time of its call and how it ended', async () => {
  const { calls } = await lostCallsOf(row, outcome({ state: 'held', problem: `${inDoubt}; what was sent: {}` }));
  expect(calls.at(-1)).toMatchObject({ reason: 'status 502', sentMs: Date.parse('2026-11-21T10:00:00.000Z') });
});
