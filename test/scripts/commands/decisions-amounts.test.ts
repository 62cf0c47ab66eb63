import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';
import { openReview, UNDER_REVIEW } from '../../support/under-review.ts';

test('an amount of another currency than that of the row’s request is a problem of its line', async () => {
  const { cwd, limitline, standIn } = await openDesk(0, { rules: [UNDER_REVIEW] });
  const header = 'name,country_code,company_registration_number,requested_limit,currency';
  await writeFile(join(cwd, 'q4.csv'), `${header}\nA GmbH,DE,HRB 1,1000,EUR\nB GmbH,DE,HRB 2,1000,EUR\n`);
  await limitline('run', 'q4.csv');
  const ids = standIn.things('limit').map(({ id }) => id);
  const said = [
    `${ids[0]};approved;USD 200,50;`,
    `${ids[0]};approved;200,50;$ 100`,
    `${ids[1]};approved;€ 200,50;100 EUR`,
  ];
  await writeFile(
    join(cwd, 'later.csv'),
    ['buyer_limit_id;status;total_limit;available_limit', said[0], said[2], ''].join('\n'),
  );
  const { status, stdout } = await limitline('decisions', 'later.csv');
  expect(stdout).toContain(
    "line 2, not taken: An amount is in USD, and the row's request is in EUR: write it in EUR.\nlater.csv: 1 decision taken",
  );
  expect(status).toBe(2);
  await writeFile(join(cwd, 'later.csv'), `buyer_limit_id;status;total_limit;available_limit\n${said[1]}\n`);
  expect((await limitline('decisions', 'later.csv', '--dry-run')).stdout).toContain('An amount is in $, and');
});

test('an amount of any currency is taken where that of the request is not known', async () => {
  const { ids, decide } = await openReview(1);
  expect((await decide([`${ids[0]},,approved,USD 200.50,,`])).stdout).toContain('1 decision taken');
});
