import { expect, test } from 'vitest';
import type { Person } from '../../../../src/people/person.ts';
import { openConsole, openDesk, uploadTo } from '../../../support/desk.ts';
import { buyerLines } from '../../../support/workplace.ts';

const FAY: Person = { by: 'fay', roles: ['finance'] };
const BEN: Person = { by: 'ben', roles: ['finance'] };

test('the list and the page of an upload name its uploader, also after a colleague’s correction', async () => {
  const now = { who: FAY };
  const web = await openConsole(await openDesk(1), { identify: async () => now.who });
  const file = ['file', 'q9.csv', buyerLines(1).join('\n')] as const;
  const { location: fays } = await uploadTo(web, [...file]);
  now.who = BEN;
  const { location: bens } = await uploadTo(web, [...file]);
  expect((await web.post(`${fays}/portfolio`, { portfolio: 'q10' })).status).toBe(303);
  const whose = (name: string) => new RegExp(`uploaded <span><time[^>]*>[^<]*</time> by <bdi>${name}</bdi>`);
  expect((await web.get(fays)).text).toMatch(whose('fay'));
  expect((await web.get(bens)).text).toMatch(whose('ben'));
  const { text } = await web.get('/new');
  const rowOf = (location: string) => text.split('<tr').find((row) => row.includes(`href="${location}"`)) ?? '';
  expect(rowOf(fays)).toContain('by <bdi>fay</bdi>');
  expect(rowOf(bens)).toContain('by <bdi>ben</bdi>');
});
