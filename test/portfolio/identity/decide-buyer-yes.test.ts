import { describe, expect, test } from 'vitest';
import { type Given, toldEverywhere as told } from '../../support/buyers-fixture.ts';

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
