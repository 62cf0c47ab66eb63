import { describe, expect, test } from 'vitest';
import {
  decisionWords,
  type Given,
  inWords,
  makeMapStore,
  tellFile,
  toldEverywhere as told,
} from '../../support/buyers-fixture.ts';

describe('a yes to the question about a number', () => {
  // Promise: several-alike-are-asked
  test.each<[string, Given[], Given]>([
    [
      'another one has the name of the line',
      [
        { name: 'Drossel und Fink GmbH', reg: 'HRB 999' },
        { name: 'Drossel & Fink GmbH', reg: 'HRB 12345' },
      ],
      { name: 'Drossel und Fink GmbH', reg: '12345' },
    ],
    [
      'another one has the name of the line, and zeros differ',
      [
        { name: 'Drossel KG', reg: '99' },
        { name: 'Drossel AG', reg: '0012' },
      ],
      { name: 'Drossel KG', reg: '12' },
    ],
    ['both have the name of the line', [{ reg: 'HRB 1' }, { reg: 'HRB 22' }], { reg: '22' }],
  ])('means the buyer of the question, where %s', async (_what, known, line) => {
    const { words, said } = await told([...known, line]);
    expect(words).toEqual(['new K1', 'new K2', 'unclear']);
    expect(said).toContain('(line 3)');
    expect((await told([...known, { ...line, same: 'yes' }])).words.at(-1)).toBe('known K2 by registration');
    expect((await told([...known, { ...line, same: 'no' }])).words.at(-1)).toBe('new K3');
  });

  // Promise: several-alike-are-asked
  test('means the buyer of the question where many have the name', async () => {
    const known = Array.from({ length: 12 }, (_none, n): Given => ({ ref: `${n + 1}`.padStart(6, '0') }));
    const line: Given = { ref: '12' };
    expect((await told([...known, line])).said).toContain('Write 000012 as before.');
    expect((await told([...known, { ...line, same: 'yes' }])).words.at(-1)).toMatch(/^known K12 /);
  });

  test('means the buyer of the name where there was no such question', async () => {
    const known: Given[] = [{ name: 'Drossel KG' }, { name: 'Drossel AG', reg: 'HRB 12' }];
    const line: Given = { name: 'Drossel KG', reg: '12' };
    expect((await told([...known, line])).words.at(-1)).toBe('known K1 by name');
    expect((await told([...known, { ...line, same: 'yes' }])).words.at(-1)).toBe('known K1 by name');
  });
});

describe('a yes to the warning that a new buyer may be a known one', () => {
  const branch: Given = { name: 'Drossel und Fink GmbH', reg: 'HRB 1' };

  // Promise: same-buyer-by-a-person
  test.each<[string, Given, Given]>([
    ['without a country', { name: 'Drossel & Fink GmbH', country: '' }, {}],
    ['with the same company_id', { name: 'Elster AG', company: 'C1' }, { company: 'C1' }],
    ['without a number', { name: 'Drossel & Fink AG' }, {}],
  ])('means the buyer that it names, %s, and not one with a number of its own', async (_what, likely, more) => {
    const line: Given = { name: 'Drossel & Fink GmbH', reg: 'HRB 77', ...more };
    const { words, said } = await told([branch, likely, line]);
    expect(words.at(-1)).toBe('new K3');
    expect(said).toMatch(/may be the same buyer as line 3 .*--same-buyer 4/);
    expect((await told([branch, likely, { ...line, same: 'yes' }])).words.at(-1)).toMatch(/^known K2 /);
  });

  test('means the buyer that it names, and not one of another name with the same number', async () => {
    const known: Given[] = [
      { ref: 'K1', name: 'Alpha GmbH', reg: 'HRB 1' },
      { ref: 'L1', name: 'Beta GmbH' },
    ];
    const line: Given = { ref: 'L9', name: 'Beta GmbH', reg: 'HRB 1' };
    expect((await told([...known, line])).said).toMatch(/may be the same buyer as line 3 .*--same-buyer 4/);
    expect((await told([...known, { ...line, same: 'yes' }])).words.at(-1)).toMatch(/^known K2 /);
  });

  test('means a buyer with another number where it names none: a number may have changed', async () => {
    const line: Given = { name: 'Drossel & Fink GmbH', reg: 'HRB 77' };
    expect((await told([branch, line])).said).toBe('');
    expect((await told([branch, { ...line, same: 'yes' }])).words.at(-1)).toMatch(/^known K1 /);
  });
});

// Promise: same-buyer-by-a-person
test('a no that a later file still has is a problem, which does not only propose a reference for the known buyer', async () => {
  const store = makeMapStore();
  const lines: Given[] = [{ reg: 'HRB 12345' }, { reg: '12345', same: 'no' }];
  await tellFile(store, lines);
  const later = await tellFile(store, lines, { portfolio: 'q1', importId: 'b' });
  expect(inWords(later)).toEqual(['known K1 by registration', 'unclear']);
  const advice = 'If an earlier file brought this very buyer with that no, take the no away.';
  expect(decisionWords(later[1])).toContain(advice);
  const without = await tellFile(store, [{ reg: '12345' }], { portfolio: 'q1', importId: 'b' });
  expect(inWords(without)).toEqual(['known K1 by registration']);
  expect((await told([{ reg: 'HRB 1' }, { reg: 'HRB 1', same: 'no' }])).said).not.toContain(advice);
});
