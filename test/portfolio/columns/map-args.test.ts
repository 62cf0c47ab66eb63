import { describe, expect, test } from 'vitest';
import { readMapArgs } from '../../../src/portfolio/columns/map-args.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

describe('the arguments of --map', () => {
  test('say of single headers what they mean, beside files, and are stronger', async () => {
    const { write } = await makeTemporaryFolder();
    const path = await write(
      'map.json',
      '{"columns": {"Kunde": "name", "Wert": "name"}, "constants": {"country_code": "DE"}}',
    );
    expect(await readMapArgs([path, 'Wert=requested_limit', 'a=b=Contact E-Mail', 'Notiz=', '__proto__=-'])).toEqual({
      columns: Object.fromEntries([
        ['Kunde', 'name'],
        ['Wert', 'requested_limit'],
        ['a=b', 'contact_email'],
        ['Notiz', null],
        ['__proto__', null],
      ]),
      constants: { country_code: 'DE' },
    });
    expect(await readMapArgs([])).toBeUndefined();
  });

  test('mean a file where there is one, whatever its name', async () => {
    const { write } = await makeTemporaryFolder();
    const path = await write('q=4.json', '{"columns": {"Kunde": "name"}}');
    expect((await readMapArgs([path]))?.columns).toEqual({ Kunde: 'name' });
  });

  test.each([
    [['Kunde=nmae'], 'USAGE', 'names an unknown column'],
    [['=name'], 'USAGE', 'has no head'],
    [['Kunde=name', 'Kunde=city'], 'USAGE', 'two things about "Kunde"'],
    [['none.json'], 'FILE', 'none.json'],
  ])('cannot be used: %j', async (args, code, message) => {
    await expect(readMapArgs(args)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
