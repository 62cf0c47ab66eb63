import { expect, test } from 'vitest';
import { lostCallsOf } from '../../jobs/lost-calls.ts';
import type { Outcome } from '../../src/portfolio/outcomes.ts';
import type { Line } from '../../src/portfolio/row.ts';

const KEY = 'row-key-16-chars';
const OWN_KEY = 'own-key-16-chars';

const row: Line = {
  ...{ kind: 'row', line: 7, cells: [], changed: [], warnings: [] },
  row: {
    ...{
      key: OWN_KEY,
      buyer: 'buyer',
      name: 'A',
      documents: [{ name: 'a.pdf', path: '', sizeBytes: 0, mediaType: '' }],
    },
    ...{ company: { name: 'A', address: { state: null } }, limit: { requested_limit: '1' } },
  },
};
const broken: Line = { ...{ kind: 'invalid', line: 7, cells: [], changed: [] }, key: '', problems: [] };

const outcome = (changes: Partial<Outcome>): Outcome => ({
  ...{ row: `q4/${KEY}`, state: 'done', step: 'limit', companyId: 'company_1', documentIds: [], limitId: '' },
  ...{ record: {}, problem: '', account: 'x', ...changes },
});

/** What is told of calls: `<what became of it> <kind> <keys>`. */
async function told(line: Line, changes: Partial<Outcome>): Promise<string[]> {
  const { calls, leftOut } = await lostCallsOf(line, outcome(changes));
  return [...calls.map(({ is, kind, keys }) => `${is} ${kind} ${keys.join('+')}`), ...leftOut];
}

const company = 'made company buyer';
const changed = 'changed after it was requested (sent: 2); the request stays as it was sent';
const inDoubt =
  'It is unknown whether the buyer limit request was made: sent 2026-11-21T10:00:00.000Z, then status 502';

test.each<[string, Line, Partial<Outcome>, string[]]>([
  ['a limit goes by both keys', row, { limitId: 'bl_1' }, [company, `made limit ${KEY}+${OWN_KEY}`]],
  [
    "… by the file's alone where the line was changed since",
    row,
    { limitId: 'bl_1', problem: changed },
    [`made limit ${KEY}`],
  ],
  ['… or is broken', broken, { limitId: 'bl_1' }, [`made limit ${KEY}`]],
  [
    '… and is named where none is known',
    broken,
    { limitId: 'bl_1', row: '' },
    ['limit bl_1: neither its row nor its buyer can be told from the line'],
  ],
  ['a refused row may go again', row, { state: 'refused', problem: 'The service refused the limit' }, [company]],
  ['so may one that waits', row, { state: 'queued', step: 'company', companyId: '' }, []],
  ['a held one is in doubt', row, { state: 'held', problem: inDoubt }, [company, `unknown limit ${KEY}+${OWN_KEY}`]],
  [
    '… at its step',
    row,
    { state: 'held', step: 'company', companyId: '', problem: inDoubt },
    ['unknown company buyer'],
  ],
  ['… and one that was under way is, too', row, { state: 'limit' }, [company, `unknown limit ${KEY}+${OWN_KEY}`]],
  [
    'a document that is not there is named',
    row,
    { documentIds: ['d1'] },
    [company, 'document a.pdf: it is not in the documents folder, and would be uploaded again'],
  ],
])('%s', async (_title, line, changes, expected) => {
  expect(await told(line, changes)).toEqual(expected);
});

test('of a held row it is kept when it was sent and what was heard', async () => {
  const { calls } = await lostCallsOf(row, outcome({ state: 'held', problem: `${inDoubt}; what was sent: {}` }));
  expect(calls.at(-1)).toMatchObject({ heard: 'status 502', sentMs: Date.parse('2026-11-21T10:00:00.000Z') });
});
