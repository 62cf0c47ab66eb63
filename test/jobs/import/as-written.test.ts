import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkedFile, openCorrections } from '../../support/workplace.ts';

test.each(['Kreditlimit (EUR)', 'requested_limit'])(
  'check, import and errors file show the column %s and the cell as the file spells them',
  async (header) => {
    const place = await openCorrections();
    const give = async (file: string, ...lines: string[]) => {
      const path = join(place.dir, file);
      await writeFile(path, [`Kundennr.;Firma;${header};request_reference`, ...lines].join('\n'));
      return { checked: await checkedFile({ path }, place.context), imported: await place.importFile(path) };
    };
    await give('jan.csv', '1;Acme AG;1.000,00;R-1');
    await place.work();
    await place.settled();
    const { checked, imported } = await give('feb.csv', '1;Acme AG;2.000,00;R-2', '1;Acme AG;3.000,00;R-1');
    const besides = { line: 2, column: header, value: '2.000,00' };
    const changed = { line: 3, column: header, value: '3.000,00' };
    expect(imported.warnings).toContainEqual(expect.objectContaining(besides));
    expect(imported.problems).toMatchObject([changed]);
    const said = checked.lines.flatMap((line) => (line.kind === 'row' ? line.warnings : line.problems));
    expect(said).toContainEqual(expect.objectContaining(besides));
    expect(said).toContainEqual(expect.objectContaining(changed));
    expect(await place.errors()).toContain(`${header}: changed after it was requested`);
  },
);
