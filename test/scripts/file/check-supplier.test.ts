import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand } from '../../support/command.ts';
import { makeFolder } from '../../support/workplace.ts';

// Promises: check-reads-supplier, unsent-supplier-columns-named
test("check reads the supplier's file: its problems, what is not sent of it, and its call", async () => {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), 'name,country_code,requested_limit\nA,DE,1000\nB,DE,2000\n');
  const check = async (supplier: string) => {
    await writeFile(join(cwd, 'us.csv'), supplier);
    return callCommand(['check', 'q4.csv', '--supplier', 'us.csv'], { cwd });
  };
  const { status, stdout } = await check('name,country_code,Fax\nNordwind GmbH,DE,1\n');
  expect(status).toBe(0);
  expect(stdout).toContain("The supplier is Nordwind GmbH.\nColumns of the supplier's file that are not sent: Fax.\n");
  expect(stdout).toContain('create 3 companies');
  // A supplier that is one of the buyers, or exists, is not created besides.
  expect((await check('name,country_code\nA,DE\n')).stdout).toContain('create 2 companies');
  expect((await check('company_id\ncompany_1\n')).stdout).toContain('create 2 companies');
  const bad = await check('name,country_code\nNordwind GmbH,dex\n');
  expect(bad.status).toBe(2);
  expect(bad.stdout).toContain('file: The supplier in us.csv cannot be used. Line 2, country_code "dex"');
});
