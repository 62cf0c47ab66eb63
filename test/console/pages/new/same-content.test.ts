import { expect, test } from 'vitest';
import { openConsole, openDesk, plainText, unmarked, uploadTo } from '../../../support/desk.ts';

const HEAD = 'name,country_code,requested_limit\n';
const plain = (markup: string) => plainText(unmarked(markup));

/** Uploads a file, changes these cells of it, and submits it. */
async function submit(
  web: Awaited<ReturnType<typeof openConsole>>,
  [name, text]: [string, string],
  { cells = {}, ...fields }: { cells?: Record<string, string>; total?: string } = {},
): Promise<string> {
  const { location } = await uploadTo(web, ['file', name, text]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look).toContain('name="of"');
  if (Object.keys(cells).length > 0) {
    const edits = { list: 'problems', version: '1', ...cells };
    expect((await web.post(`${location}/mend`, edits)).status).toBe(303);
    await expect.poll(look).toContain('Request all: 2 limits');
  }
  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  expect((await web.post(`${location}/submit`, { of, ...fields })).status).toBe(303);
  return location;
}

// Promises: approver-sees-changed-values, changes-told-to-approver
test('an approver sees the values that were changed by hand, whoever uploads the changed file as it is afterwards', async () => {
  const web = await openConsole(await openDesk(0, {}, { APPROVE_ALWAYS: 'on' }));
  const file = `${HEAD}Alder GmbH,DE,1000\nBirch GmbH,XX,2000\n`;
  await submit(web, ['q9.csv', file], { cells: { 'cell-3-1': 'DE' } });
  await expect.poll(() => web.context.approvals.waitingCount()).toBe(1);
  const [approval] = await web.context.approvals.waiting();
  const shown = async () => plain((await web.get(`/approvals/${approval?.id}`)).text);
  const CHANGED = /Changed by hand 1 value corrected by .*?\. .*Line Column Before Now 3 country_code XX DE /;
  expect(await shown()).toMatch(CHANGED);

  const changed = file.replace('XX', 'DE');
  await submit(web, ['other.csv', changed]);
  await expect.poll(() => web.context.approvals.waitingCount()).toBe(2);
  expect(await shown()).toMatch(CHANGED);

  await submit(web, ['q9.csv', changed], { total: '3000' });
  await expect.poll(shown).toContain('Control total 3,000.00');
  expect(await shown()).toMatch(CHANGED);
});

// Promise: approver-sees-changed-values
test('an approver sees the values that were changed by hand also after the upload is changed and submitted again', async () => {
  const web = await openConsole(await openDesk(0, {}, { APPROVE_ALWAYS: 'on' }));
  const file = `${HEAD}Alder GmbH,DE,1000\nBirch GmbH,XX,2000\nCedar GmbH,DE,much\n`;
  const location = await submit(web, ['q9.csv', file], { cells: { 'cell-3-1': 'DE' } });
  await expect.poll(() => web.context.approvals.waitingCount()).toBe(1);
  const [approval] = await web.context.approvals.waiting();
  const look = async () => (await web.get(location)).text;
  const edits = { list: 'problems', version: '2', 'cell-4-2': '3000' };
  expect((await web.post(`${location}/mend`, edits)).status).toBe(303);
  await expect.poll(look).toMatch(/name="of"/);
  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  expect((await web.post(`${location}/submit`, { of })).status).toBe(303);
  await expect.poll(() => web.context.approvals.waitingCount()).toBe(2);
  const shown = plain((await web.get(`/approvals/${approval?.id}`)).text);
  expect(shown).toMatch(/Line Column Before Now 3 country_code XX DE /);
  expect(shown).not.toContain('not kept any more');
});
