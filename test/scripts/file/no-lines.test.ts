import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';

test('check and import say of a file without lines that there is nothing to import', async () => {
  const { cwd, limitline } = await openDesk(1);
  await writeFile(join(cwd, 'none.csv'), 'name,requested_limit\n');
  expect(await limitline('check', 'none.csv')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('none.csv: the file has a header and no line, so there is nothing to import; 0'),
  });
  const stdout = 'Nothing was imported: none.csv has a header and no line.\n';
  expect(await limitline('import', 'none.csv')).toMatchObject({ status: 0, stdout });
});
