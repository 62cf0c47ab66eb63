import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heldOverview } from '../../../jobs/operators/held-overview.ts';
import { planWords } from '../../../jobs/operators/plan-words.ts';
import { type Resolved, resolveCalls, resolvePlan } from '../../../jobs/operators/resolve-calls.ts';
import { whyNothing } from '../../../jobs/operators/why-not.ts';
import { rowName } from '../../../src/ledger/row-id.ts';
import { readResolutionFile } from '../../../src/portfolio/results/resolution-file.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

/** Five rows, of which two are held at their limit and one, with two limits to come, at its company; and a broken line. */
async function openHeld() {
  const lost = (on: 'company' | 'limit', match: string, made: boolean) =>
    ({ on, match, fault: 'reset', made, times: 1 }) as const;
  const place = await openWorkplace({
    faults: { rules: [lost('limit', 'HRB 1', true), lost('limit', 'HRB 2', false), lost('company', 'Buyer 3 ', true)] },
  });
  const [header = '', ...lines] = buyerLines(4);
  await place.import([header, ...lines, 'Buyer 3 GmbH,DE,HRB 3,77', 'Broken AG,Nowhere,HRB 9,1']);
  await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 1, held: 4 });
  const idOf = (kind: 'company' | 'limit', text: string) =>
    place.standIn.things(kind).find(({ body }) => JSON.stringify(body).includes(text))?.id ?? '';
  const path = join(place.dir, 'held.csv');
  const plan = async (...words: string[]) => {
    await writeFile(path, ['row;line;id', ...words, ''].join('\n'));
    return planWords('q4', await readResolutionFile(path), place.context);
  };
  return { ...place, plan, idOf };
}

test('a file of words on held rows is looked at as a whole, and then believed as a whole', async () => {
  const { context, standIn, settled, report, plan, idOf } = await openHeld();
  const [first, third, fourth] = [idOf('limit', 'HRB 1'), idOf('company', 'Buyer 3 '), idOf('limit', 'HRB 4')];
  const wrong = await plan(
    ...[`;2;${third}`, `;3;${fourth}`, ';4;bl_9', `;5;${first}`, ';7;bl_1', ';99;bl_2', 'twin/a;;bl_3', 'q4/a;;bl_4'],
    ...[`;2;${first}`, `;3;${first}`, `;4;${third}`, ';6;resend'],
  );
  expect(wrong.problems.map(({ at, message }) => `${at} ${message}`)).toEqual([
    expect.stringMatching(/^2 "company_\S+ is no id of what line 2 is held at: its step is limit/),
    expect.stringMatching(/^3 "bl_\S+ is known already, .* line 5 of portfolio "q4" \(Buyer 4 GmbH\)\.$/),
    expect.stringMatching(/^4 "bl_9" is no id .* begin with company_/),
    expect.stringMatching(/^5 Line 5 of portfolio "q4" is done \(bl_/),
    expect.stringMatching(/^6 Line 7 of portfolio "q4" led to no row: it is invalid/),
    expect.stringMatching(/^7 There is no line 99/),
    '8 Row twin/a is of another portfolio than "q4".',
    '9 There is no row q4/a.',
    '11 Line 3 says something else of the same limit.',
    '13 Line 12 says something else of the same company.',
  ]);
  const twice = await plan(`;2;${first}`, `;3;${first}`);
  expect(twice.problems).toEqual([{ at: 3, message: `"${first}" is given for another row already, in line 2.` }]);
  expect((await report()).states.held).toBe(4);

  expect(await heldOverview('q4', undefined, context)).toEqual({
    steps: [
      { step: 'company', rows: 2, requested: '1080.5' },
      { step: 'limit', rows: 2, requested: '2004' },
    ],
    supplier: false,
  });
  const [row] = await context.rows.behind('q4', 'held', { line: 3, count: 1 });
  const sound = await plan(
    `;2;${first}`,
    `${rowName(row?.row ?? { portfolio: '', key: '' })};;resend`,
    `;4;${third}`,
    ';5;',
  );
  expect(sound.problems).toEqual([]);
  // Planning is a rehearsal: nothing has changed by it.
  expect((await report()).states.held).toBe(4);
  const heard: Resolved[] = [];
  expect(await resolvePlan(sound, context, (of) => heard.push(of))).toMatchObject({ calls: 3, rows: 4, of: heard });
  expect(heard.map(({ line, step, name, made }) => [line, step, name, made])).toEqual([
    [2, 'limit', 'Buyer 1 GmbH', first],
    [3, 'limit', 'Buyer 2 GmbH', undefined],
    [4, 'company', 'Buyer 3 GmbH', third],
  ]);
  expect((await settled()).states).toMatchObject({ done: 5, held: 0 });
  expect(standIn.counts().made).toMatchObject({ company: 4, limit: 5 });
});

test('an id that is known of another row is not believed, and retry says why it found nothing', async () => {
  const { context, idOf, report } = await openHeld();
  const resolve = (words: object) => resolveCalls.run(resolveCalls.parse({ portfolio: 'q4', ...words }), context);
  await expect(resolve({ line: 3, made: idOf('limit', 'HRB 4') })).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(/is known already, as what was made for line 5 of portfolio "q4"/),
  });
  await expect(resolve({ line: 5 })).rejects.toThrow(/^Line 5 .* is done \(bl_\S+\)\. Held are lines 2, 3, 4, 6\.$/);
  expect(await resolve({ line: 2, made: idOf('limit', 'HRB 1'), dryRun: true })).toMatchObject({ calls: 0, rows: 0 });
  expect((await report()).states.held).toBe(4);

  const why = (words: object) => whyNothing({ portfolio: 'q4', state: 'refused', ...words }, context);
  expect(await why({ line: 999 })).toMatch(/^There is no line 999 in portfolio "q4"/);
  expect(await why({ line: 3 })).toMatch(/^Line 3 .* is held at its limit.*npx limitline resolve "q4" --line 3/);
  expect(await why({ line: 5 })).toMatch(/^Line 5 .* is done \(bl_/);
  expect(await why({ line: 7 })).toMatch(/^Line 7 .* led to no row: it is invalid; .*--format errors-csv/);
  expect(await why({})).toMatch(/^No row .* is refused \(1 done, 4 held\)\. Held rows are for: npx limitline resolve/);
});

test('retry names a line whose words are others', async () => {
  const place = await openWorkplace({
    faults: { rules: [{ on: 'limit', match: 'HRB 1', fault: 'status', status: 422, body: 'too high' }] },
  });
  await place.import(buyerLines(1));
  await place.work();
  await place.settled();
  const why = (words: object) =>
    whyNothing({ portfolio: 'q4', state: 'refused', error: 'odd', ...words }, place.context);
  expect(await why({ line: 2 })).toMatch(/^Line 2 .* is refused, but does not say "odd"; .*errors-csv/);
  expect(await why({})).toMatch(/^No refused row .* says "odd"; .*errors-csv/);
});
