import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { buyerLines, type ExportWish, exportedText, openWorkplace } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

const RESULT_COLUMNS =
  'row,import,line,state,step,company_id,document_ids,buyer_limit_id,status,total_limit,available_limit,problem,updated,outcome,limitline_account,limitline_buyer';

/** Records by the names of the header. Limitline's columns are last and override file columns of the same name. */
async function exported({ context }: Pick<Place, 'context'>, wish: ExportWish = {}) {
  const [header = [], ...records]: string[][] = parse(await exportedText(context, wish));
  const lines = records.map((cells) => Object.fromEntries(cells.map((cell, column) => [header[column] ?? '', cell])));
  return { header, lines, widths: new Set(records.map((cells) => cells.length)) };
}

// Promises: results-give-each-line-once, rows-accounted-for
test('results contain every line once, in the order of the file, with its own columns and its outcome', async () => {
  const { work, settled, standIn, ...place } = await openWorkplace({
    faults: { rules: [{ on: 'limit', match: 'HRB 4', fault: 'status', status: 422, body: 'too "high", they say' }] },
  });
  await place.import([
    'Name,Cost Centre,company-registration-number,requested_limit',
    'One AG,k1,HRB 1,100.10',
    'Two AG,k2,HRB 2,nothing',
    '"Three, Sons & ""Co""","k3\nand k4",HRB 3,300',
    'Four AG,k4,HRB 4,400',
    'One AG,k5,HRB 1,100.10',
    'Six AG,k6,HRB 6,600,more,cells',
    'Seven AG,k7',
    'Eight AG,k8,HRB 8,800',
  ]);
  await work();
  await settled();
  const { header, lines, widths } = await exported(place);
  expect(header.join()).toBe(`Name,Cost Centre,company-registration-number,requested_limit,${RESULT_COLUMNS}`);
  // Limitline's columns are aligned however many cells a line has.
  expect([...widths]).toEqual([header.length]);
  expect(lines.map((line) => [line['Cost Centre'], line.state])).toEqual([
    ['k1', 'done'],
    ['k2', 'invalid'],
    ['k3\nand k4', 'done'],
    ['k4', 'refused'],
    ['k5', 'duplicate'],
    ['k6', 'invalid'],
    ['k7', 'invalid'],
    ['k8', 'done'],
  ]);
  expect(lines[0]).toMatchObject({
    step: 'limit',
    company_id: expect.stringMatching(/^company_/),
    buyer_limit_id: standIn.things('limit').find(({ body }) => Object(body).requested_limit === 100.1)?.id,
    status: 'approved',
    total_limit: '100.1',
    available_limit: '100.1',
    problem: '',
    updated: expect.stringMatching(/^20\d\d-.*Z$/),
  });
  expect(lines[1]).toMatchObject({
    problem: expect.stringContaining('requested_limit: '),
    company_id: '',
    updated: '',
  });
  expect(lines[2]?.Name).toBe('Three, Sons & "Co"');
  expect(lines[3]).toMatchObject({ problem: expect.stringMatching(/status 422: too "high", they say$/), status: '' });
  expect(lines[4]?.problem).toContain('Line 2 ');
});

test('results write amounts as plain decimals where the service writes them with an exponent', async () => {
  const { work, settled, ...place } = await openWorkplace({
    faults: {
      rules: [{ on: 'limit', fault: 'answer', set: { total_limit: 1e21, available_limit: 0.0000001 } }],
    },
  });
  await place.import(buyerLines(1));
  await work();
  await settled();
  const [line] = (await exported(place)).lines;
  expect(line).toMatchObject({ total_limit: '1000000000000000000000', available_limit: '0.0000001' });
});

test('results of a held row show what was sent, when, and how the call ended', async () => {
  const { work, settled, ...place } = await openWorkplace({
    faults: { rules: [{ on: 'limit', match: 'HRB 1', fault: 'status', status: 500, made: true }] },
  });
  await place.import(buyerLines(1));
  await work();
  await settled();
  const [line] = (await exported(place)).lines;
  expect(line).toMatchObject({ state: 'held', step: 'limit', company_id: expect.stringMatching(/^company_/) });
  expect(line?.problem).toMatch(
    /sent 20\d\d-\d\d-\d\dT[\d:.]+Z, then .*500.*; what was sent: \{.*"requested_limit":1001.5/,
  );
});

test('results mark a repeated line as not imported if the import was interrupted before it', async () => {
  const { context, ...place } = await openWorkplace();
  await place.import(['name,requested_limit', 'Acme,100', 'Acme,100']);
  const { file } = await context.portfolios.read('q4');
  if (!file) throw new Error('no file was imported');
  await (await context.portfolios.startImport('q4', file)).leave();
  const found = (await exported({ context })).lines;
  expect(found.map(({ state, problem }) => [state, problem?.slice(0, 12)])).toEqual([
    ['queued', ''],
    ['', 'Not imported'],
  ]);
});

describe('an errors file', () => {
  test("keeps the team's own problem column in each round", async () => {
    const place = await openWorkplace();
    await place.import(['name,problem,requested_limit', 'Acme,pays late,-1']);
    for (const _round of [1, 2]) {
      const text = await exportedText(place.context, { only: 'errors' });
      expect(text.split('\r\n')).toEqual([
        'name,problem,requested_limit,row,limitline_line,problem,limitline_account,limitline_from',
        expect.stringMatching(/^Acme,pays late,'?-1,,,requested_limit: /),
        '',
      ]);
      await place.import(text.trimEnd().split('\r\n'));
    }
  });

  test('contains the unsuccessful lines unchanged, and is empty after all are corrected', async () => {
    const { work, settled, standIn, ...place } = await openWorkplace({
      faults: { rules: [{ on: 'limit', match: 'HRB 1"', fault: 'status', status: 422, body: 'no contact' }] },
    });
    await work();
    const [header = '', first = '', second = ''] = buyerLines(2);
    await place.import([header, first, second, 'Bad AG,Atlantis,HRB 3,-1']);
    await settled();
    const round = await exported(place, { only: 'errors' });
    expect(round.header.join()).toBe(`${header},row,limitline_line,problem,limitline_account,limitline_from`);
    expect(round.lines.map(({ name, problem }) => [name, problem])).toEqual([
      ['Buyer 1 GmbH', expect.stringContaining('no contact')],
      ['Bad AG', expect.stringMatching(/country_code: .*requested_limit: /)],
    ]);

    const text = (await exportedText(place.context, { only: 'errors' })).trimEnd();
    await place.import(text.replace('Atlantis', 'DE').split('\r\n'));
    await settled();
    const next = await exported(place, { only: 'errors' });
    expect(next.header).toEqual(round.header);
    expect(next.lines.map(({ name }) => name)).toEqual(['Buyer 1 GmbH', 'Bad AG']);

    await standIn.setFaults({ rules: [] });
    await place.import(
      (await exportedText(place.context, { only: 'errors' })).trimEnd().replace('-1', '1').split('\r\n'),
    );
    expect((await settled()).states).toMatchObject({ done: 3, refused: 0 });
    expect((await exported(place, { only: 'errors' })).lines).toEqual([]);
    expect(standIn.counts().made).toMatchObject({ company: 3, limit: 3 });
  });
});

test('a portfolio without an import cannot be exported', async () => {
  const place = await openWorkplace();
  await expect(exportedText(place.context, { portfolio: 'nobody' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
