import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { checkedFile, type ExportWish, exportedText, openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,city,buyer_reference,request_reference,requested_limit';

const exported = async (of: Parameters<typeof exportedText>[0], wish: ExportWish): Promise<Record<string, string>[]> =>
  parse(await exportedText(of, wish), { columns: true });

/** An account that requested a limit for each of two companies in portfolio q4. */
async function openSent() {
  const place = await openWorkplace();
  await place.work();
  await place.import([HEADER, 'Jäger Papier GmbH,DE,Ulm,B1,R1,1000', 'Anders AG,DE,Ulm,B2,R2,2000']);
  await place.settled();
  return place;
}

// Promise: changed-after-requested
test('a problem names the company for which the portfolio requested the limit, if name or country differs', async () => {
  const place = await openSent();
  const imported = await place.import([HEADER, 'Jäger Papier SE,DE,Ulm,B1,R1,1000', 'Anders AG,CH,Ulm,B2,R2,2000']);
  const checked = await checkedFile({ path: join(place.dir, 'q4.csv') }, place.context);
  const words = (differs: string, sent: string) =>
    expect.stringContaining(
      `changed after it was requested (${differs} differs; sent for ${sent}); the request stays as it was sent. `,
    );
  const problems = [
    { line: 2, column: null, message: words('name', '"Jäger Papier GmbH", DE') },
    { line: 3, column: null, message: words('country_code', '"Anders AG", DE') },
  ];
  expect(imported).toMatchObject({ rows: 0, invalid: 2, requestedBefore: 0, problems });
  expect(checked.lines.flatMap((line) => (line.kind === 'invalid' ? line.problems : []))).toMatchObject(problems);
});

// Promises: sent-for-another-name, skipped-row-says-for-whom
test('a line whose limit another portfolio requested for another company is skipped with a warning', async () => {
  const place = await openSent();
  const lines = [HEADER, 'Jäger Papier SE,DE,Ulm,B1,R1,1000', 'Anders AG,CH,Ulm,B2,R2,2000'];
  const imported = await place.import(lines, { portfolio: 'copy' });
  const checked = await checkedFile({ path: join(place.dir, 'copy.csv'), portfolio: 'copy' }, place.context);
  const words = (sent: string) =>
    expect.stringContaining(`This limit was requested for ${sent}, in portfolio q4, and the answer is that company's.`);
  const warnings = [
    { line: 2, column: 'name', message: words('"Jäger Papier GmbH", DE') },
    { line: 3, column: 'name', message: words('"Anders AG", DE') },
  ];
  expect(imported).toMatchObject({ rows: 2, invalid: 0, requestedBefore: 2, problems: [] });
  for (const found of [imported, checked])
    expect(found.warnings.filter(({ message }) => message.includes('This limit was'))).toMatchObject(warnings);
  await place.settled('copy');
  const rows = await exported(place.context, { portfolio: 'copy' });
  expect(rows.map(({ state, problem }) => [state, problem])).toEqual([
    ['skipped', 'requested for "Jäger Papier GmbH", DE, in portfolio q4'],
    ['skipped', 'requested for "Anders AG", DE, in portfolio q4'],
  ]);
});

// Promise: changed-after-requested
test('a problem names the company that was sent, if a line uses the reference of another buyer', async () => {
  const place = await openSent();
  const { problems } = await place.import([HEADER, 'Zeta AG,CH,Ulm,B9,R2,2000']);
  expect(problems).toMatchObject([
    { message: expect.stringContaining('requested (sent for "Anders AG", DE); the request of') },
  ]);
});

// Promise: sent-for-another-name
test('another spelling, city or missing country in another portfolio still counts as requested before', async () => {
  const place = await openSent();
  const lines = [HEADER, 'JAEGER-PAPIER GmbH.,DE,Bonn,B1,R1,1000', 'Anders AG,,Ulm,B2,R2,2000'];
  const imported = await place.import(lines, { portfolio: 'copy' });
  expect(imported).toMatchObject({ rows: 2, invalid: 0, requestedBefore: 2, problems: [] });
  expect(await place.settled('copy')).toMatchObject({ states: { skipped: 2 } });
});

// Promise: skipped-row-says-for-whom
test('results of a skipped row name the company for which another portfolio requested the limit', async () => {
  const place = await openWorkplace();
  const line = (name: string) => [HEADER, `${name},DE,Ulm,B1,R1,1000`];
  await place.import(line('Jäger Papier GmbH'));
  const { warnings } = await place.import(line('Jäger Papier SE'), { portfolio: 'twin' });
  expect(warnings.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(
      /^This request is under way already, line 2 .*, for "Jäger Papier GmbH", DE: it is requested once/,
    ),
  );
  await place.work();
  const [one, other] = [await place.settled(), await place.settled('twin')];
  expect(one.states.done + other.states.done).toBe(1);
  const [lost, made, portfolio] =
    one.states.done === 1 ? ['twin', 'Jäger Papier GmbH', 'q4'] : ['q4', 'Jäger Papier SE', 'twin'];
  const [row] = await exported(place.context, { portfolio: lost });
  expect(row).toMatchObject({
    state: 'skipped',
    status: 'approved',
    problem: `requested for "${made}", DE, in portfolio ${portfolio}`,
  });
  // The skipped row needs no correction.
  expect(await exported(place.context, { portfolio: lost, only: 'errors' })).toEqual([]);
});
