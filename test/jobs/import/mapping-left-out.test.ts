import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';
import { openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,requested_limit,PLZ';
const LINES = [HEADER, 'Buyer 1 GmbH,DE,1000,01234'];
const reading = { mapping: { columns: { PLZ: 'company.address.postal_code' }, constants: {} } } as const;

// Promise: missing-mapping-is-said
test('a file without the mapping of the one before is said to lack it, before its lines; the same file again is not', async () => {
  const { import: importLines } = await openWorkplace();
  const said = async (how?: { reading: typeof reading }) =>
    (await importLines(LINES, how)).warnings.filter(({ message }) => message.includes('was read with'));
  expect(await said({ reading })).toEqual([]);
  expect(await said({ reading })).toEqual([]);
  expect((await importLines(LINES)).warnings[0]).toMatchObject({
    column: null,
    message: expect.stringMatching(
      /^The last file of this portfolio, .*\.csv, was read with --map "PLZ=company\.address\.postal_code", and this one is not\./,
    ),
  });
});

// Promise: missing-mapping-is-said
test('check says it first, above the lines that it makes differ', async () => {
  const { cwd, limitline } = await openDesk(1);
  await writeFile(join(cwd, 'plz.csv'), `${LINES.join('\n')}\n`);
  const mapped = ['plz.csv', '--map', 'PLZ=company.address.postal_code'];
  await limitline('run', ...mapped, '--no-results');
  const { stdout, status } = await limitline('check', 'plz.csv');
  expect(status).toBe(2);
  expect(stdout).toMatch(
    /^file: The last file of this portfolio, plz\.csv, was read with --map "PLZ=company\.address\.postal_code", and .* \(a warning\)\nline 2/,
  );
  expect((await limitline('check', ...mapped)).stdout).not.toContain('was read with');
});
