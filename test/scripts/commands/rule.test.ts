import { expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';

test('rules are added, listed with their effect and removed, and the audit has each change without free text', async () => {
  const { limitline, json } = await openDesk(3, {
    rules: [
      { on: 'limit', match: 'HRB 1', fault: 'status', status: 422, body: 'closed for the night' },
      { on: 'limit', match: 'HRB 2', fault: 'reset' },
    ],
  });
  await limitline('run', 'q4.csv');
  const { causes } = await json('report', 'q4');
  const idOf = (meaning: string) => causes.find((cause: { meaning: string }) => cause.meaning === meaning)?.id;

  const added = await limitline('rule', 'add', '--cause', idOf('refused'), '--portfolio', 'q4', '--nights', '3');
  const means = `rejected for cause ${idOf('refused')}, closed for the night (status 422) in portfolio q4`;
  expect(added.stdout).toMatch(new RegExp(`^Rule \\w{5}: rows ${means.replace(/[()]/g, '\\$&')} go again at night`));
  const words = await json('rule', 'add', '--step', 'limit', '--words', 'no such words', '--nights', '1');
  expect(words).toMatchObject({ step: 'limit', words: 'no such words', nights: 1 });
  const { stdout } = await limitline('rule', 'list');
  expect(stdout).toContain(
    `rows ${means}\n  sends  each night, for each row 3 nights at most\n  now    at most 1 row of 1 portfolio\n`,
  );
  expect(stdout).toContain('now    no row\n  last   it has not run yet');

  for (const [args, fault] of [
    [['--cause', idOf('unknown')], /are held: a person must say what became of each/],
    [['--cause', 'none'], /No row is refused for cause none now/],
    [['--status', '422', '--portfolio', 'q9'], /There is no portfolio "q9"/],
  ] as const) {
    const refused = await limitline('rule', 'add', ...args, '--nights', '3');
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(fault)]);
  }
  expect((await json('rule', 'remove', words.id)).removed).toBe(words.id);
  expect((await limitline('rule', 'remove', words.id)).stderr).toMatch(/There is no rule/);
  expect((await json('rule', 'list')).rules).toMatchObject([{ rows: 1, portfolios: 1, last: null, nights: 3 }]);

  const { entries } = await json('audit', 'list', '--what', 'nightly rule added');
  expect(entries[2]).toMatchObject({ is: 'begun', facts: { step: 'limit', words: '(a text)', nights: '1' } });
  expect(entries[3]).toMatchObject({ is: 'done', facts: { rule: words.id } });
  const removals = await json('audit', 'list', '--what', 'nightly rule removed');
  expect(removals.entries.map(({ is }: { is: string }) => is)).toEqual(['begun', 'done', 'begun', 'failed']);
});
