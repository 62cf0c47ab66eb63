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

/** What is told of calls: `<what became of it> <kind> <keys>`. */
async function told(line: Line, changes: Partial<ResultOutcome>): Promise<string[]> {
  const { calls, leftOut } = await lostCallsOf(line, outcome(changes));
  return [...calls.map(({ is, kind, keys }) => `${is} ${kind} ${keys.join('+')}`), ...leftOut];
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
  ['a limit goes by its key', row, { row: `q4/${OWN_KEY}`, limitId: 'bl_1' }, [company, `made limit ${OWN_KEY}`]],
  [
    'a limit that was requested for another company goes by the cells of its line',
    row,
    { row: '', state: 'skipped', limitId: 'bl_1', problem: 'requested for "B", DE, in portfolio q3' },
    [company, `made limit ${OWN_KEY}`],
  ],
  ['one that waits for approval was not sent', row, { ...OWN_ROW, state: 'awaiting' }, [company]],
  [
    '… unless it waits for what somebody says of a call in doubt',
    row,
    { ...OWN_ROW, state: 'awaiting', problem: inDoubt },
    [company, `unknown limit ${OWN_KEY}`],
  ],
  ['… and by that of the file, where its cells lead to another', row, { limitId: 'bl_1' }, [company, made, weak]],
  ["… by the file's alone where the line was changed since", row, { limitId: 'bl_1', problem: changed }, [made, weak]],
  ['… or is broken', broken, { limitId: 'bl_1' }, [made, weak]],
  ['… also of its company alone', broken, { state: 'refused' }, [weak]],
  [
    'whose it is stands beside it, whatever its cells say',
    row,
    { limitId: 'bl_1', known },
    ['made company known', made, expect.stringContaining('a line that identifies its buyer in another way')],
  ],
  [
    '… and is named where none is known',
    broken,
    { limitId: 'bl_1', row: '' },
    ['limit bl_1: the line does not say which row or buyer it belongs to'],
  ],
  [
    'a refused row may go again',
    row,
    { ...OWN_ROW, state: 'refused', problem: 'The service refused the limit' },
    [company],
  ],
  ['so may one that waits', row, { state: 'queued', step: 'company', companyId: '' }, []],
  [
    'a held one is in doubt',
    row,
    { ...OWN_ROW, state: 'held', problem: inDoubt },
    [company, `unknown limit ${OWN_KEY}`],
  ],
  [
    '… at its step',
    row,
    { ...OWN_ROW, state: 'held', step: 'company', companyId: '', problem: inDoubt },
    ['unknown company buyer'],
  ],
  ['… and one that was under way is, too', row, { ...OWN_ROW, state: 'limit' }, [company, `unknown limit ${OWN_KEY}`]],
  [
    'a document that is not there is named',
    row,
    { ...OWN_ROW, documentIds: ['d1'] },
    [company, 'document a.pdf is not in the documents folder, and would be uploaded again'],
  ],
])('%s', async (_title, line, changes, expected) => {
  expect(await told(line, changes)).toEqual(expected);
});

test('a held row keeps when it was sent and how the call ended', async () => {
  const { calls } = await lostCallsOf(row, outcome({ state: 'held', problem: `${inDoubt}; what was sent: {}` }));
  expect(calls.at(-1)).toMatchObject({ reason: 'status 502', sentMs: Date.parse('2026-11-21T10:00:00.000Z') });
});
