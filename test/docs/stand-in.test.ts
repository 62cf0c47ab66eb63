import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LIMIT_HEADERS, readFaults } from '../../src/stand-in/fault-settings.ts';
import { openStandIn } from '../support/service-caller.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/stand-in.md'), 'utf8');
const [, MEMBERS = '', RULES = ''] = PAGE.split(/^## /m);
const EXAMPLES = [
  ...(/```json\n([^`]*)```/.exec(PAGE)?.[1] ?? '').trim().split('\n'),
  /--json '([^']*)'/.exec(PAGE)?.[1] ?? '',
];

/** The names in the first column of a table. */
function namesIn(section: string): string[] {
  return [...section.matchAll(/^\| `([\w-]+)` \|/gm)].map((match) => match[1] ?? '').filter((name) => name !== 'fault');
}

test('docs/stand-in.md lists every member of the faults and every family of headers', () => {
  expect(namesIn(MEMBERS).toSorted()).toEqual(Object.keys(readFaults({}, {})).toSorted());
  for (const name of LIMIT_HEADERS) expect(MEMBERS).toContain(`\`${name}\``);
});

test('docs/stand-in.md lists exactly the faults that the stand-in accepts', () => {
  const refusal = (fault: string) => {
    try {
      readFaults({}, { rules: [{ on: 'limit', fault }] });
      return '';
    } catch (error) {
      return String(error);
    }
  };
  const known = (refusal('nonsense').match(/'[\w-]+'/g) ?? []).map((name) => name.slice(1, -1));
  for (const fault of namesIn(RULES)) expect(refusal(fault)).not.toContain('rules.0.fault');
  for (const fault of known) expect(namesIn(RULES)).toContain(fault);
  expect(namesIn(RULES)).toHaveLength(8);
});

test.each(EXAMPLES)('the stand-in accepts the example %s', async (example) => {
  const { caller } = await openStandIn();
  const answer = await caller.control('faults', JSON.parse(example));
  expect(answer.status).toBe(200);
  expect(answer.json().settings).toMatchObject(JSON.parse(example));
});

test('a company that was made and answered with 502 is reported as made', async () => {
  const { caller } = await openStandIn();
  await caller.control('faults', { rules: [{ on: 'company', fault: 'status', status: 502, made: true }] });
  expect((await caller.post('company', { name: 'A' })).status).toBe(502);
  const report = (await caller.control('made')).json();
  expect(report.requests.company).toMatchObject({ 502: 1 });
  expect(report.made.company).toBe(1);
  expect(report.madeTwice).toEqual([]);
});
