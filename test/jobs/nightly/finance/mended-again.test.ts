import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { financeItems } from '../../../support/ledger.ts';
import { exportedText, openWorkplace } from '../../../support/workplace.ts';

const HEADER = 'name,country_code,request_reference,requested_limit,contact_email';

// Promise: mended-line-stays-mended
test.each([
  ['a readable amount', '1000', 'anna'],
  ['an unreadable amount', '1O00', ''],
])(
  'a corrected line stays corrected when its file is imported again after a third file: %s',
  async (_name, amount, mail) => {
    const { context, dir, importFile, import: bring } = await openWorkplace();
    const named = async () => (await financeItems(context)).filter(({ check }) => check === 'not requested');
    const bad = [HEADER, `Acme GmbH,DE,R1,${amount},${mail}`, 'Beta GmbH,DE,R2,1000,'];
    await bring(bad);
    const errors = await exportedText(context, { only: 'errors' });
    await writeFile(join(dir, 'mended.csv'), errors.replace('1O00', '1000').replace('anna', ''));
    await importFile(join(dir, 'mended.csv'));
    await bring(bad);
    expect(await named()).toEqual([]);
    await writeFile(join(dir, 'third.csv'), `${HEADER}\nAcme GmbH,DE,R1,1000,\nBeta GmbH,DE,R2,1000,\n`);
    await importFile(join(dir, 'third.csv'));
    await bring(bad);
    expect(await named()).toEqual([]);
  },
);
