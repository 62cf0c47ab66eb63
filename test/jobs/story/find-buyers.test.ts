import { expect, test } from 'vitest';
import { findBuyers } from '../../../jobs/story/find-buyers.ts';
import { openWorkplace } from '../../support/workplace.ts';

test('a search by the beginning of a number, with its register or without, finds all its buyers, page by page', async () => {
  const { context, ...place } = await openWorkplace();
  const lines = Array.from(
    { length: 60 },
    (_none, n) => `Firm ${String.fromCharCode(97 + (n % 26))}${n} GmbH,DE,HRB 77${10 + n},${100 + n}`,
  );
  await place.import(['name,country_code,company_registration_number,requested_limit', ...lines]);
  for (const text of ['HRB 77', 'hrb77', '77']) {
    const found: string[] = [];
    let after = '';
    for (let page = 0; page < 20; page += 1) {
      const { buyers, next } = await findBuyers(text, { after, count: 20 }, context);
      for (const { key } of buyers) found.push(key);
      if (next === undefined) break;
      after = next;
    }
    expect({ text, found: found.length, once: new Set(found).size }).toEqual({ text, found: 60, once: 60 });
  }
});

test('a buyer that a text names by its reference, and by the beginning of its number, is found once', async () => {
  const { context, ...place } = await openWorkplace();
  const lines = Array.from({ length: 60 }, (_none, n) => {
    const name = `Firm ${String.fromCharCode(97 + (n % 26))}${n} GmbH`;
    return `${name},DE,HRB 77${10 + n},${n === 59 ? '77' : `B-${n}`},${100 + n}`;
  });
  await place.import(['name,country_code,company_registration_number,buyer_reference,requested_limit', ...lines]);
  const found: string[] = [];
  let after = '';
  for (let page = 0; page < 20; page += 1) {
    const { buyers, next } = await findBuyers('77', { after, count: 20 }, context);
    for (const { key } of buyers) found.push(key);
    if (next === undefined) break;
    after = next;
  }
  expect({ found: found.length, once: new Set(found).size }).toEqual({ found: 60, once: 60 });
});
