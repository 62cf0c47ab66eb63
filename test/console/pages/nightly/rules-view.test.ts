import { expect, test } from 'vitest';
import { commandLineActor } from '../../../../src/actor.ts';
import { rulesSection } from '../../../../src/console/pages/nightly/rules-view.ts';
import type { RulesNow } from '../../../../src/ledger/nightly/retry-rules.ts';
import { unmarked } from '../../../support/desk.ts';
import { openNightlyConsole } from '../../../support/nightly-console.ts';

const NIGHT_MS = Date.parse('2026-11-22T03:00:00Z');

const FACTS: RulesNow = {
  rules: [
    {
      rule: { id: 'k3f9a', status: 422, words: '<b>closed', nights: 3, by: 'olivia', madeMs: NIGHT_MS - 1 },
      last: { atMs: NIGHT_MS, sent: 120, waiting: 0, usedUp: 2 },
      rows: 1_200,
      portfolios: 2,
    },
  ],
  causes: [
    { id: 'abcd1234', step: 'limit', meaning: 'refused', status: 422, words: '<i>closed', rows: 9, portfolios: ['q4'] },
    { id: 'efgh5678', step: 'company', meaning: 'ours', status: null, words: '', rows: 2, portfolios: ['q4', 'q5'] },
  ],
};
const view = (given: Partial<Parameters<typeof rulesSection>[1]> = {}, facts = FACTS) =>
  unmarked(rulesSection(facts, { csrf: 'token', mayChange: true, ...given }).markup);

test('each rule is shown with its current and last effect, and people with the right get a form with the known causes', () => {
  const markup = view();
  for (const words of [
    'rejected with status 422 in words with “&lt;b&gt;closed” in all portfolios',
    'up to 1,200 rows',
    '120 rows sent again, 2 rows with all nights used up',
    'action="/nightly/rules/k3f9a/remove"',
    'npx limitline rule remove k3f9a',
    '9 rows in q4, at limit: &lt;i&gt;closed (status 422)',
    '2 rows in 2 portfolios, at company: ours',
  ]) {
    expect(markup).toContain(words);
  }
  expect(markup).not.toContain('open=""');
  const looked = view({ mayChange: false });
  expect(looked).toContain('up to 1,200 rows');
  expect(looked).not.toMatch(/<form|<button/);
  expect(view({ mayChange: false }, { rules: [], causes: [] })).toContain(
    'npx limitline rule add --cause ID --nights 3',
  );
});

test('a cause in the address is preselected, and other parameters are shown as text', () => {
  const markup = view({ asked: { cause: 'efgh5678', portfolio: '"><script>' } });
  expect(markup).toContain('<option value="efgh5678" selected="">');
  expect(markup).toContain('open=""');
  expect(markup).toContain('value="&quot;&gt;&lt;script&gt;"');
  expect(view({ asked: { cause: 'nothing' } })).toContain('<option value="" selected="">');
  expect(view({ asked: { rule: 'added' } })).toContain('The rule was added');
  expect(view({ asked: { rule: ['added'], cause: {} } })).not.toContain('The rule was added');
});

test('a rule is added and removed on the page in the author’s name, and an invalid rule is refused with a reason', async () => {
  const { get, post, context } = await openNightlyConsole();
  const made = await post('/nightly/rules', { status: '422', words: 'closed', nights: '3' });
  expect([made.status, made.headers.get('location')]).toEqual([
    303,
    '/nightly/automation?rule=added#sent-again-at-night-title',
  ]);
  const [known] = await context.retryRules.known();
  expect(known?.rule).toMatchObject({ status: 422, words: 'closed', nights: 3, by: commandLineActor() });
  expect((await get('/nightly/automation?rule=added')).text).toContain(`Rule <code>${known?.rule.id}</code>`);
  for (const [fields, words] of [
    [{ nights: '3' }, 'Say which refused rows are meant'],
    [{ cause: 'gone', nights: '3' }, 'No row is refused for cause gone now'],
    [{ status: '500', portfolio: 'q9', nights: '3' }, 'There is no portfolio &quot;q9&quot;'],
  ] as const) {
    const refused = await post('/nightly/rules', fields);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(words)]);
  }
  const entries = await context.ledger.hgetall(context.keys.retryRules);
  expect(Object.keys(entries)).toEqual([known?.rule.id]);
  expect((await post(`/nightly/rules/${known?.rule.id}/remove`)).status).toBe(303);
  expect((await post(`/nightly/rules/${known?.rule.id}/remove`)).status).toBe(404);
  expect(await context.retryRules.known()).toEqual([]);
});
