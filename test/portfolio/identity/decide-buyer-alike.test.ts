import { describe, expect, test } from 'vitest';
import {
  decisionWords,
  type Given,
  inWords,
  makeMapStore,
  tellFile,
  toldEverywhere as told,
} from '../../support/buyers-fixture.ts';

/** Expects that a line is asked about a buyer before it, and that both answers are taken. */
async function isAsked(before: Given, line: Given, message: RegExp): Promise<void> {
  const { words, said } = await told([before, line]);
  expect(words).toEqual(['new K1', 'unclear']);
  expect(said).toMatch(message);
  expect((await told([before, { ...line, same: 'yes' }])).words.at(-1)).toMatch(/^known K1/);
  expect((await told([before, { ...line, same: 'no' }])).words.at(-1)).toBe('new K2');
}

describe('a line that resembles several known buyers', () => {
  const two: Given[] = [{ name: 'Schulzmann AG' }, { name: 'Schulzmann KG', ref: 'K2' }];
  const both = /"Schulzmann AG" \(line 2\) and "Schulzmann KG", reference K2 \(line 3\)/;

  // Promise: several-alike-are-asked
  test('is a problem if same_buyer says yes, and the problem says how to choose one', async () => {
    const { words, said } = await told([...two, { name: 'Schulzmann A.G.', same: 'yes' }]);
    expect(words).toEqual(['new K1', 'new K2', 'unclear']);
    expect(said).toMatch(both);
    expect(said).toContain('Write the name exactly as it stands there, or the buyer_reference of the one');
    expect(said).not.toContain('--same-buyer');
  });

  // Promise: several-alike-are-asked
  test.each<[string, Given, string]>([
    ['name', { name: 'Schulzmann AG' }, 'known K1 by name'],
    ['buyer_reference', { name: 'Schulzmann A.G.', ref: 'K2' }, 'known K2 by reference'],
  ])('belongs to the buyer with the same %s', async (_what, line, expected) => {
    expect((await told([...two, { ...line, same: 'yes' }])).words.at(-1)).toBe(expected);
    expect((await told([...two, line])).words.at(-1)).toBe(expected);
  });

  test('gets a warning that lists all of them, and does not propose --same-buyer', async () => {
    const { words, said } = await told([...two, { name: 'Schulzmann A.G.' }]);
    expect(words.at(-1)).toBe('new K3');
    expect(said).toMatch(both);
    expect(said).not.toContain('--same-buyer');
    expect((await told([...two, { name: 'Schulzmann', same: 'no' }])).said).toBe('');
  });
});

describe('zeros that a spreadsheet removed', () => {
  // Promise: lost-zeros-are-a-problem
  test.each<[string, Given, Given, RegExp]>([
    [
      'from a reference',
      { ref: '000201', reg: 'HRB 1' },
      { ref: '201', reg: 'HRB 1' },
      /^reference: .*201 differs only by zeros .* 000201 .*Write 000201 as before\..*--same-buyer 3 /,
    ],
    ['from a reference, with names in other spellings', { ref: '01' }, { ref: '1', name: 'MUSTER' }, /^reference: /],
    ['from a reference, with a missing country', { ref: '01' }, { ref: '1', country: '' }, /^reference: /],
    ['from a number', { reg: '008801' }, { reg: '8801' }, /^registration: .* 008801 /],
    ['from an id', { info: '012345678' }, { info: '12345678' }, /^information: .*Write 012345678 as before\./],
    [
      'under another name, with the same register number',
      { ref: '0010930', reg: 'HRB 9930' },
      { ref: '10930', reg: 'HRB 9930', name: 'Other GmbH' },
      /^reference: .*10930 differs only by zeros/,
    ],
    ['that the known buyer lacks', { ref: '201' }, { ref: '000201' }, /^reference: .*Write 201 as before\./],
  ])('are a problem: %s', (_what, before, line, message) => isAsked(before, line, message));

  test.each<[string, Given, Given]>([
    ['another name', { ref: '01' }, { ref: '1', name: 'Other GmbH' }],
    ['another number', { ref: '01' }, { ref: '2' }],
    ['another name and number', { ref: '01', reg: 'HRB 1' }, { ref: '1', name: 'Other GmbH', reg: 'HRB 2' }],
    ['letters', { ref: '0A1' }, { ref: 'A1' }],
    [
      'equal names with other references, and numbers that differ by zeros',
      { ref: 'A', reg: '01' },
      { ref: 'B', reg: '1' },
    ],
  ])('are not suspected for %s', async (_what, before, line) => {
    expect((await told([before, line])).words).toEqual(['new K1', 'new K2']);
  });

  // Promise: lost-zeros-are-a-problem
  test.each<[string, (number: string) => Given]>([
    ['references', (ref) => ({ ref })],
    ['ids', (info) => ({ info })],
    ['numbers', (reg) => ({ reg })],
  ])('are a problem also if many buyers share one name and have other %s', async (_what, given) => {
    const numbers = Array.from({ length: 30 }, (_none, n) => `${n + 1}`);
    const known = numbers.map((number) => given(number.padStart(6, '0')));
    for (const number of numbers) expect((await told([...known, given(number)])).words.at(-1)).toBe('unclear');
    expect((await told([...known, given('31')])).words.at(-1)).toBe('new K31');
  });

  test('a warning names the identifier that both lines share', async () => {
    const lines = [
      { ref: '1', reg: 'HRB 1' },
      { ref: '2', reg: 'HRB 1' },
    ];
    expect((await told(lines)).said).toContain(
      'which has the same company registration number, but another buyer_reference, so it becomes a new buyer',
    );
  });
});

// Promise: words-left-out-are-warned
test.each([
  ['Drossel & Fink GmbH', 'Drossel und Fink GmbH'],
  ['Drossel und Fink GmbH', 'Drossel & Fink AG'],
  ['Falke Textil GmbH', 'Falke Textil GmbH Filiale Köln'],
  ['Firma Kranich', 'Kranich GmbH i.L.'],
])('%s may be %s, and a number of theirs is compared', async (one, other) => {
  const { words, said } = await told([{ name: one }, { name: other }]);
  expect(words).toEqual(['new K1', 'new K2']);
  expect(said).toContain(`may be the same buyer as line 2 ("${one}")`);
  const numbered = await told([
    { name: one, reg: 'HRB 1' },
    { name: other, reg: '1' },
  ]);
  expect(numbered.words).toEqual(['new K1', 'unclear']);
  const apart = await told([
    { name: one, reg: 'HRB 1' },
    { name: other, reg: 'HRB 2' },
  ]);
  expect(apart).toMatchObject({ words: ['new K1', 'new K2'], said: '' });
  expect((await told([{ name: one }, { name: other, country: 'AT' }])).said).toBe('');
  const store = makeMapStore();
  await tellFile(store, [{ name: one }]);
  const later = await tellFile(store, [{ name: other }], { importId: 'b' });
  expect(decisionWords(later[0])).toContain('may be the same buyer');
});

describe('a long name that a system cut off', () => {
  const whole = 'Geyer Internationale Transportgesellschaft für Schwerlasten mbH';

  // Promise: cut-names-are-warned
  test.each([35, 40, whole.length - 1])('may be the buyer with the whole name, after %i characters', async (length) => {
    const cut = whole.slice(0, length);
    for (const names of [
      [whole, cut],
      [cut, whole],
    ]) {
      const lines = names.map((name) => ({ name }));
      const { words, said } = await told(lines);
      expect(words).toEqual(['new K1', 'new K2']);
      expect(said).toContain('may be the same buyer as line 2');
      const numbered = lines.map((line, at) => ({ ...line, reg: ['HRB 12', '12'][at] ?? '' }));
      expect((await told(numbered)).words).toEqual(['new K1', 'unclear']);
    }
  });

  test.each([
    ['another end', 'Geyer Internationale Transportgesellschaft für Container mbH'],
    ['a name too short for a cut', 'Geyer Internationale'],
  ])('is not suspected for %s', async (_what, name) => {
    expect((await told([{ name: whole }, { name }])).said).toBe('');
  });

  test('is not suspected in another country', async () => {
    expect((await told([{ name: whole }, { name: whole.slice(0, 35), country: 'AT' }])).said).toBe('');
  });
});

describe('a number that another person wrote otherwise', () => {
  // Promise: number-written-otherwise
  test.each<[string, Given, Given, RegExp]>([
    [
      'without its register',
      { reg: 'HRB 12345' },
      { reg: '12345' },
      /^registration: .*12345 may be hrb12345 of .*--same/,
    ],
    ['with its court', { reg: 'HRB 12345' }, { reg: 'Amtsgericht Köln HRB 12345' }, /^registration: /],
    ['with more letters', { reg: 'HRB 12345' }, { reg: 'HRB 12345 B' }, /^registration: /],
    ['with a zero', { reg: 'HRB 1234' }, { reg: 'HRB 01234' }, /^registration: /],
    ['in wide digits', { reg: 'HRB 12345' }, { reg: 'HRB １２３４５' }, /^registration: /],
    ['as a SIRET', { reg: '552 100 554' }, { reg: '55210055400013' }, /^registration: /],
    ['as a VAT number', { reg: '552 100 554' }, { reg: 'FR40 552100554' }, /^registration: /],
    ['under another form of the name', { reg: 'HRB 1' }, { reg: '1', name: 'MUSTER AG' }, /^registration: /],
    ['without its country', { reg: 'HRB 1' }, { reg: 'HRB 1', country: '' }, /^registration: /],
    ['without the country of an id', { info: 'DE00114520' }, { info: '00114520' }, /^information: /],
    ['with signs in an id', { info: '081466851' }, { info: '08-146-6851' }, /^information: /],
    ['of a source under another name', { info: '081466851' }, { info: '081466851', source: 'D&B' }, /^information: /],
    ['with the end of a fraction', { reg: 'HRB 12345' }, { reg: '12345.0' }, /^registration: /],
    ['beside another id', { reg: 'HRB 1', info: '4' }, { reg: 'HRB 1', info: '5' }, /^registration: /],
  ])('is a problem: %s', (_what, before, line, message) => isAsked(before, line, message));

  test.each<[string, Given, Given]>([
    ['another number', { reg: 'HRB 12345' }, { reg: 'HRB 12346' }],
    ['few digits within others', { reg: '1234' }, { reg: '12345678' }],
    ['no digits', { reg: 'ABC' }, { reg: 'ABD' }],
    ['another name', { reg: 'HRB 12345' }, { reg: '12345', name: 'Other GmbH' }],
    ['another country', { reg: 'HRB 12345' }, { reg: '12345', country: 'AT' }],
    ['references on both', { ref: 'A', reg: 'HRB 12345' }, { ref: 'B', reg: '12345' }],
  ])('is not suspected for %s', async (_what, before, line) => {
    expect((await told([before, line])).words).toEqual(['new K1', 'new K2']);
  });
});

describe('a name in capitals', () => {
  // Promise: case-and-spaces-do-not-count
  test.each([
    ['Bäckerei Größe AG', 'BÄCKEREI GRÖSSE AG'],
    ['STRASSENBAU NORD KG', 'Straßenbau Nord KG'],
    ['Ämter-Service e.K.', 'ÄMTER\u2010SERVICE e.K.'],
    ['A\u2011B GmbH', 'A-B GmbH'],
  ])('%s is the same name as %s', async (one, other) => {
    const { words, said } = await told([
      { name: one },
      { name: one.replace(/ \w+\.?\w*\.?$/, ' plc') },
      { name: other },
    ]);
    expect(words).toEqual(['new K1', 'new K2', 'known K1 by name']);
    expect(said).toContain(`spelt otherwise than that of "${one}" (line 2)`);
    const store = makeMapStore();
    await tellFile(store, [{ name: one }, { name: other }]);
    const again = await tellFile(store, [{ name: other }], { importId: 'b' });
    expect([inWords(again), decisionWords(again[0])]).toEqual([['known K1 by name'], '']);
  });

  // Promise: case-and-spaces-do-not-count
  test('is found also if many branches of the company came before it', async () => {
    const branches = Array.from(
      { length: 9 },
      (_none, n): Given => ({ name: `Straßenbau Nord Filiale ${n}`, reg: `${n}` }),
    );
    const company: Given = { name: 'Straßenbau Nord GmbH', reg: 'HRB 77' };
    const { words } = await told([...branches, company, { name: 'STRASSENBAU NORD GMBH' }]);
    expect(words.slice(-2)).toEqual(['new K10', 'known K10 by name']);
  });

  test('belongs to another buyer if the references differ or same_buyer says no', async () => {
    const lines = (more: Given) => [
      { name: 'Weiß AG', ref: '1' },
      { name: 'WEISS AG', ...more },
    ];
    expect((await told(lines({}))).words.at(-1)).toBe('known K1 by name');
    expect((await told(lines({ ref: '2' }))).words.at(-1)).toBe('new K2');
    expect((await told(lines({ same: 'no' }))).words.at(-1)).toBe('new K2');
  });

  test('is a problem if several buyers have the name', async () => {
    const two = ['1', '2'].map((ref) => ({ name: 'Weiß AG', ref }));
    expect((await told([...two, { name: 'WEISS AG' }])).said).toContain('belongs to several buyers');
  });
});

test('a question about a number names that number, and not the id of a source', async () => {
  const known: Given = { reg: 'HRB 77', country: '' };
  const { said } = await told([known, { name: 'MUSTER', reg: '77', info: 'D-12', country: '' }]);
  expect(said).toMatch(/^registration: The company registration number 77 may be hrb77 /);
});

test('a buyer of whom an earlier version knows nothing but the name ="Eta" is found by the name', async () => {
  const store = makeMapStore();
  await tellFile(store, [{ name: '="Eta"' }]);
  for (const importId of ['b', 'c'])
    expect(inWords(await tellFile(store, [{ name: 'Eta' }], { importId }))).toEqual(['known K1 by name']);
});
