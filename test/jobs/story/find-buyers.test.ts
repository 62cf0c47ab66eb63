import { expect, test } from 'vitest';
import { findBuyers } from '../../../jobs/story/find-buyers.ts';
import { openWorkplace } from '../../support/workplace.ts';

test.each([
  ['by the beginning of a number with its register', 'HRB 77', 'R-59'],
  ['in other case', 'hrb77', 'R-59'],
  ['without its register', '77', 'R-59'],
  ['once each, even if a reference begins with the text', '77', '77'],
])('a search finds all its buyers across pages: %s', async (_how, text, last) => {
  const { context, ...place } = await openWorkplace();
  const lines = Array.from({ length: 60 }, (_none, n) => {
    const name = `Firm ${String.fromCharCode(97 + (n % 26))}${n} GmbH`;
    return `${name},DE,HRB 77${10 + n},${n === 59 ? last : `B-${n}`},${100 + n}`;
  });
  await place.import(['name,country_code,company_registration_number,buyer_reference,requested_limit', ...lines]);
  const found: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { buyers, next } = await findBuyers(text, { after, count: 20 }, context);
    found.push(...buyers.map(({ key }) => key));
    after = next;
  }
  expect({ found: found.length, once: new Set(found).size }).toEqual({ found: 60, once: 60 });
});
