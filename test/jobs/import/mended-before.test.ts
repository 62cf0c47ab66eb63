import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acme, checkedFile, HEADER, openCorrections, zinc } from '../../support/workplace.ts';

// Promise: line-mended-before
test('an errors file corrected differently and imported again requests no second limit for a line', async () => {
  const place = await openCorrections();
  const path = join(place.dir, 'list.errors.csv');
  const give = async (text: string) => {
    await writeFile(path, text);
    const { invalid } = await checkedFile({ path }, place.context);
    const imported = await place.importFile(path);
    expect(imported.invalid).toBe(invalid.length);
    return imported;
  };
  await writeFile(join(place.dir, 'list.csv'), [HEADER, acme(1000).replace('1000', 'x'), zinc(5)].join('\n'));
  await place.importFile(join(place.dir, 'list.csv'));
  await place.work();
  await place.settled();
  const errors = await place.errors();
  // In this second round, the corrected line comes from an errors file of an errors file.
  await give(errors.replace(',x,', ',y,'));
  expect(await give((await place.errors()).replace(',y,', ',1000,'))).toMatchObject({ rows: 1, invalid: 0 });
  await place.settled();
  let text = errors.replace(',x,', ',2000,');
  for (const round of [1, 2]) {
    const { problems } = await give(text);
    expect(problems, `round ${round}`).toMatchObject([
      {
        message:
          'This line was mended and imported before: line 2 of portfolio q4 (1,000, done) came from it. Leave this line out, or give it a request_reference of its own if a second limit is meant.',
      },
    ]);
    text = await place.errors();
  }
  // The same amount again is the same request, and a reference makes a second one.
  expect(await give(errors.replace(',x,', ',1000,'))).toMatchObject({ rows: 1, invalid: 0 });
  await place.settled();
  expect(place.requested()).toEqual([5, 1000]);
});
