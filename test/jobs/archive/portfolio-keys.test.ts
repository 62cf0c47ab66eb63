import { expect, test } from 'vitest';
import { carryOutAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { PORTFOLIO_KEYS } from '../../../src/ledger/comparison/sweeps.ts';
import { causeOf } from '../../../src/ledger/counts/cause.ts';
import { BOB, openPortfolio, retryRows } from '../../support/approved-portfolio.ts';
import { differences, dumpRedis, NEVER, putBackPlainly } from '../../support/archive.ts';
import { connectRedis } from '../../support/ledger.ts';
import { buyerLines } from '../../support/workplace.ts';

/**
 * Keys that stay when a portfolio is archived, without the prefix of the account: keys of the account and its
 * processes, and keys that prevent double requests. A key in neither this list nor that of portfolio keys would be lost
 * when its portfolio is archived, so each new key belongs to one of them.
 */
const STAYS = [
  /^account$/,
  /^portfolios$/,
  /^archives$/,
  /^call:/,
  /^buyer:/,
  /^buyers$/,
  /^identifiers:/,
  /^words:/,
  /^approvals(:answered|:lately)?$/,
  /^approval-rule$/,
  /^passed:/,
  /^(pace|doors|workers|replicas|row-totals)/,
];

// Promise: archive-read-back-first
test('the archive contains exactly the keys of its portfolio, which all return byte for byte', async () => {
  const place = await openPortfolioWithAll();
  const { context } = place;
  const { keys, ledger } = context;
  const there = new Set<string>();
  for (const { kind, type, find } of PORTFOLIO_KEYS) {
    for await (const key of find({ name: 'q4', connection: ledger, keys })) {
      if ((await ledger.exists(key)) === 0) continue;
      there.add(kind);
      expect(await ledger.type(key), key).toBe(type);
    }
  }
  // A finished portfolio has neither imports under way nor rows of open approvals.
  const lacking = PORTFOLIO_KEYS.map(({ kind }) => kind).filter((kind) => !there.has(kind));
  expect(lacking).toEqual(['imports', 'approvalRows']);
  const connection = connectRedis();
  const root = keys.account.slice(0, -'account'.length);
  const before = await dumpRedis(connection, root);

  const { folder, states } = await archivePortfolio(context, 'q4', { by: 'me', signal: NEVER });
  expect(states).toMatchObject({ done: 6, refused: 1, cancelled: 2, held: 0 });
  const after = await dumpRedis(connection, root);
  const left = [...after.keys()]
    .map((key) => key.slice(root.length))
    .filter((key) => !STAYS.some((of) => of.test(key)));
  expect(left).toEqual(['portfolio:q4']);
  const changed = Object.keys(differences(before, after)).map((key) => key.slice(root.length));
  const others = changed.filter((key) => !/^(row:q4:|portfolio:q4(:|$)|approval:)/.test(key));
  // The portfolio was the only one, and is now the only archived one.
  expect(others.sort()).toEqual(['archives', 'portfolios']);

  await putBackPlainly(folder, 'q4', { connection, keys });
  expect(differences(before, await dumpRedis(connection, root))).toEqual({});
});

/** A finished portfolio with every kind of key that a portfolio can have. */
async function openPortfolioWithAll() {
  const place = await openPortfolio(6);
  const { context, approve, waiting, say, all } = place;
  const { rows, ledger, keys } = context;
  await approve();
  const refused = await all('queued');
  for (const row of refused.slice(0, 2)) {
    const found = await rows.begin(row, 'company');
    const problem = {
      step: 'company' as const,
      message: 'the service refused it',
      status: 400,
      body: '{"code":"rule"}',
    };
    const cause = found && causeOf(problem, 'refused', found.request);
    await rows.advance(row, 'company', 'refused', { problem, ...(cause ? { cause } : {}) });
  }
  const endAll = async () => {
    for (const row of await all('queued')) {
      const record = { status: 'approved', total_limit: '1000', available_limit: '900.50' };
      const made = { company: `company_${row.key}`, limit: `bl_${row.key}`, documents: [], record };
      await rows.advance(row, 'queued', 'done', made);
    }
  };
  await endAll();
  // One refused row is approved again and then cancelled.
  await retryRows({ portfolio: 'q4', state: 'refused', line: 3 }, context);
  await approve();
  await cancelRows({ portfolio: 'q4' }, context);
  // Another amount replaces one row, and is declined.
  const [header = '', , two = '', three = ''] = buyerLines(3);
  await place.import([header, two.replace('1002.50', '77')], { by: 'alice' });
  const { id, digest } = await waiting();
  const answered = await say({ id, digest, person: BOB, answer: 'decline', words: 'too much' });
  if (answered.is === 'done') await carryOutAnswered(answered.approval, context);
  // Some lines are new, some invalid, some repeated, and one invalid line belongs to a row.
  const more = ['Müller & Söhne,DE,HRB 70,70.07,', 'Buyer 72,DE,HRB 72,7200000,', 'Nobody,DE,HRB 71,none,'];
  const known = 'Buyer 4 GmbH,DE,HRB 4,1004.50,nobody';
  await place.import([`${header},contact_email`, `${three},`, `${three},`, known, ...more], { by: 'alice' });
  await approve();
  await endAll();
  // The key of first rows is empty by now, so the test fills it.
  await ledger.sadd(keys.firstRows('q4'), refused[0]?.key ?? '');
  return place;
}
