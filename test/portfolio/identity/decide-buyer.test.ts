import { describe, expect, test } from 'vitest';
import { makeFileBook, makeFileBuyers } from '../../../src/portfolio/identity/in-file/buyers.ts';
import { type Given, inWords, makeMapStore, tellFile, tellLines } from '../../support/buyers-fixture.ts';

const [MUELLER, SCHMIDT, SCHULZ] = ['Müller Stahl GmbH', 'Schmidt Blumen GmbH', 'Schulz AG'];

/** What a file leads to, told by an exact store and by the one that a check holds in memory. */
async function told(lines: Given[]): Promise<string[]> {
  const [exact, compact] = [makeMapStore(), makeFileBuyers({ portfolio: 'q4', importId: 'a' })];
  const words = inWords(await tellFile(exact, lines));
  expect(inWords(await tellFile(compact, lines, { batch: 1 }))).toEqual(words);
  return words;
}

describe('a line finds its buyer', () => {
  // Promise: identifiers-kept-for-buyer
  test.each<[string, Given[], string[]]>([
    [
      'by its reference, whatever else changes',
      [
        { ref: '1', reg: 'HRB 1' },
        { ref: ' 1 ', reg: 'HRB 2' },
      ],
      ['new K1', 'known K1 by reference'],
    ],
    [
      'by source and id',
      [
        { info: 'X 1', name: 'Müller AG' },
        { info: 'x1', name: 'MUELLER' },
      ],
      ['new K1', 'known K1 by information'],
    ],
    [
      'by country and number',
      [{ reg: 'HRB 1' }, { reg: 'hrb-1' }, { reg: 'HRB 1', country: 'AT' }],
      ['new K1', 'known K1 by registration', 'new K2'],
    ],
    [
      'by name and country',
      [{}, { name: ' MUSTER  gmbh' }, { country: 'AT' }],
      ['new K1', 'known K1 by name', 'new K2'],
    ],
    [
      'by the number, where a reference comes new',
      [{ reg: 'HRB 1' }, { reg: 'HRB 1', ref: '7' }, { ref: '7', name: 'Muster' }],
      ['new K1', 'known K1 by registration', 'known K1 by reference'],
    ],
    [
      'by the name, where a number comes new',
      [{}, { reg: 'HRB 1' }, { reg: 'HRB 1', name: 'Muster' }],
      ['new K1', 'known K1 by name', 'known K1 by registration'],
    ],
    [
      'and two references are two, though number and name are the same',
      [
        { ref: '1', reg: 'HRB 1' },
        { ref: '2', reg: 'HRB 1' },
      ],
      ['new K1', 'new K2'],
    ],
    [
      'and two numbers are two, though the name is the same',
      [{ reg: 'HRB 1' }, { reg: 'HRB 2' }],
      ['new K1', 'new K2'],
    ],
    [
      'among those that share a number by its name',
      [
        { ref: '1', reg: 'HRB 1', name: MUELLER },
        { ref: '2', reg: 'HRB 1', name: SCHMIDT },
        { reg: 'HRB 1', name: 'Schmidt Blumen' },
      ],
      ['new K1', 'new K2', 'known K2 by registration'],
    ],
    [
      'but not among two that share all',
      [{ ref: '1', reg: 'HRB 1' }, { ref: '2', reg: 'HRB 1' }, { reg: 'HRB 1' }],
      ['new K1', 'new K2', 'unclear'],
    ],
    [
      'unless its like was told before',
      [{ reg: 'HRB 1' }, { ref: '1', reg: 'HRB 1' }, { ref: '2', reg: 'HRB 1' }, { reg: 'HRB 1' }],
      ['new K1', 'known K1 by registration', 'new K2', 'known K1 by registration'],
    ],
  ])('%s', async (_what, lines, words) => {
    expect(await told(lines)).toEqual(words);
  });
});

describe('a line cannot be told', () => {
  // Promise: two-buyers-one-number
  test.each<[string, Given[], RegExp]>([
    [
      'whose number belongs to another name',
      [
        { reg: 'HRB 1234', name: MUELLER },
        { reg: 'HRB 1234', name: SCHMIDT },
      ],
      /^The company registration number HRB 1234 belongs to "Müller Stahl GmbH" \(line 2\), and this line names "Schmidt Blumen GmbH"\. .*buyer_reference of its own.*--same-buyer 3 /,
    ],
    [
      'whose reference belongs to another name',
      [
        { ref: '1', name: MUELLER },
        { ref: '1', name: SCHMIDT },
      ],
      /^The buyer_reference 1 belongs to "Müller Stahl GmbH", reference 1 \(line 2\)/,
    ],
    [
      'whose number does, though its reference is new',
      [
        { reg: 'HRB 1', name: MUELLER },
        { ref: '2', reg: 'HRB 1', name: SCHMIDT },
      ],
      /write "no" in the column same_buyer/,
    ],
    [
      'whose identifiers belong to two',
      [{ ref: '1' }, { ref: '2', reg: 'HRB 2', name: SCHMIDT }, { ref: '1', reg: 'HRB 2' }],
      /^The buyer_reference 1 belongs to "Muster GmbH", reference 1 \(line 2\), but the company registration number HRB 2 to "Schmidt Blumen GmbH", reference 2 \(line 3\)/,
    ],
    [
      'whose number several share, none of its name',
      [
        { ref: '1', reg: 'HRB 1', name: MUELLER },
        { ref: '2', reg: 'HRB 1', name: SCHMIDT },
        { reg: 'HRB 1', name: SCHULZ },
      ],
      /^The company registration number HRB 1 belongs to several buyers, "Müller Stahl GmbH", reference 1 \(line 2\) and "Schmidt.*give it a buyer_reference\.$/,
    ],
    [
      'which is said to be another, and gives nothing else',
      [{ reg: 'HRB 1' }, { reg: 'HRB 1', same: 'no' }],
      /^same_buyer says no, but .* give this line a buyer_reference of its own as well\.$/,
    ],
  ])('%s', async (_what, lines, message) => {
    const last = (await tellFile(makeMapStore(), lines)).at(-1);
    expect(last).toMatchObject({ is: 'unclear', problem: { message: expect.stringMatching(message) } });
  });
});

describe('a person says', () => {
  // Promise: same-buyer-by-a-person
  test.each<[string, Given[], string[]]>([
    [
      'that they are the same, and the name is known from then on',
      [
        { reg: 'HRB 1', name: MUELLER },
        { reg: 'HRB 1', name: SCHMIDT, same: 'yes' },
        { reg: 'HRB 1', name: SCHMIDT, limit: '7' },
      ],
      ['new K1', 'known K1 by registration', 'known K1 by registration'],
    ],
    [
      'that a reference counts, and not the number',
      [{ ref: '1' }, { ref: '2', reg: 'HRB 2' }, { ref: '1', reg: 'HRB 2', same: 'yes' }],
      ['new K1', 'new K2', 'known K1 by reference'],
    ],
    [
      'that a reference is another of the same',
      [{ ref: '1', reg: 'HRB 1' }, { ref: '2', reg: 'HRB 1', same: 'yes' }, { ref: '2' }],
      ['new K1', 'known K1 by registration', 'known K1 by reference'],
    ],
    [
      'that a name alike is the same',
      [{ name: 'Müller GmbH' }, { name: 'Mueller GmbH', same: 'yes' }],
      ['new K1', 'known K1 by name'],
    ],
    [
      'that they are two, where a reference is new',
      [
        { reg: 'HRB 1', name: MUELLER },
        { ref: '2', reg: 'HRB 1', name: SCHMIDT, same: 'no' },
      ],
      ['new K1', 'new K2'],
    ],
  ])('%s', async (_what, lines, words) => {
    expect(await told(lines)).toEqual(words);
    const store = makeMapStore();
    const names = new Map<string, string>();
    inWords(await tellFile(store, lines), names);
    // Come again, each line means the same buyer.
    const again = inWords(await tellFile(store, lines), names);
    expect(again.map((word) => word.split(' ')[1])).toEqual(words.map((word) => word.split(' ')[1]));
  });
});

describe('warnings', () => {
  test.each<[string, Given[], RegExp[]]>([
    [
      'of another city, and how to tell the buyer apart',
      [{ city: 'Köln' }, { ref: '1', city: 'München' }],
      [
        /^The city differs from "Köln" of "Muster GmbH" \(line 2\).* another buyer, write "no" in the column same_buyer/,
      ],
    ],
    [
      'of another street, but not of its spelling',
      [
        { ref: '1', street: 'Hauptstr. 1' },
        { ref: '1', street: 'Hauptstraße 1' },
      ],
      [],
    ],
    [
      'of a name alike under another number',
      [
        { reg: '1', name: 'Müller GmbH' },
        { reg: '2', name: 'Mueller AG' },
      ],
      [/^This may be the same buyer as line 2 \("Müller GmbH"\)/],
    ],
    ['not of one in another country', [{ reg: '1' }, { reg: '1', country: 'AT' }], []],
    ['of one whose country is missing', [{ country: '' }, {}], [/^This may be the same buyer as line 2 /]],
    [
      'of one with a country, where its own is missing',
      [{}, { country: '' }],
      [/^This may be the same buyer as line 2 /],
    ],
    ['not where a person says that they are two', [{}, { country: '', same: 'no' }], []],
    [
      'of another name with the same company_id, also of a known buyer',
      [
        { company: 'company_7', name: MUELLER },
        { company: 'company_7', name: SCHULZ },
        { company: 'company_8', name: SCHMIDT },
        ...['company_7', 'company_8', 'company_8'].map((company) => ({ company, name: SCHULZ })),
      ],
      [/line 2 \("Müller Stahl GmbH"\) with the same company_id/, /^This company belongs to "Schmidt .+ "Schulz/],
    ],
  ])('%s', async (_what, lines, messages) => {
    const told = [
      await tellFile(makeMapStore(), lines),
      await tellLines(makeFileBook({ portfolio: 'q4', importId: 'a' }), lines, 1),
    ];
    const expected = messages.map((message) => expect.stringMatching(message));
    for (const decisions of told) {
      const warnings = decisions.flatMap((decision) => (decision.is === 'unclear' ? [] : decision.warnings));
      expect(warnings.map(({ message }) => message)).toEqual(expected);
    }
  });

  // Promise: same-buyer-by-a-person
  test('a person says that a line without a country is the buyer that has one', async () => {
    expect(inWords(await tellFile(makeMapStore(), [{}, { country: '', same: 'yes' }]))).toEqual([
      'new K1',
      'known K1 by name',
    ]);
  });
});

describe('a name that nobody has heard is mended', () => {
  const [before, after] = [
    { reg: 'HRB 1', name: MUELLER },
    { reg: 'HRB 1', name: SCHMIDT },
  ];

  test('by the line of its only row, in another file', async () => {
    const store = makeMapStore();
    const names = new Map<string, string>();
    expect(inWords(await tellFile(store, [before]), names)).toEqual(['new K1']);
    const twice = [after, { ...before, name: MUELLER }];
    expect(inWords(await tellFile(store, twice, { importId: 'b' }), names)).toEqual([
      'mended K1 by registration',
      'unclear',
    ]);
    expect([...store.buyers.values()][0]?.names).toMatchObject([{ written: SCHMIDT }]);
  });

  test.each<[string, Given[], { importId?: string; portfolio?: string }]>([
    ['not where another amount is asked for', [{ ...after, limit: '2' }], { importId: 'b' }],
    ['not in another portfolio', [after], { importId: 'b', portfolio: 'q5' }],
    ['not by another line of the same file', [before, after], {}],
    ['not where the file has the old name as well', [before, after], { importId: 'b' }],
  ])('%s', async (_what, lines, where) => {
    const store = makeMapStore();
    await tellFile(store, [before]);
    expect(inWords(await tellFile(store, lines, where)).at(-1)).toBe('unclear');
  });

  test('not where something was sent', async () => {
    const sent = new Set<string>();
    const store = makeMapStore(sent);
    const [first] = await tellFile(store, [before]);
    if (first?.is === 'new') sent.add(first.key);
    expect(inWords(await tellFile(store, [after], { importId: 'b' }))).toEqual(['unclear']);
  });
});

test('a buyer whose reference an earlier version read as 4711.0 is found by its name or number, and has the new reference from then on', async () => {
  const store = makeMapStore();
  await tellFile(store, [{ ref: '4711.0' }, { ref: '4712.0', reg: 'HRB 1', name: 'Other' }, { ref: '4713.0' }]);
  const later = [{ ref: '4711' }, { ref: '4712', reg: 'HRB 1', name: 'Other' }, { ref: '4714' }];
  const words = ['known K1 by name', 'known K2 by registration', 'new K3'];
  expect(inWords(await tellFile(store, later, { importId: 'b' }))).toEqual(words);
  expect(inWords(await tellFile(store, later, { importId: 'c' }))).toEqual([
    'known K1 by reference',
    'known K2 by reference',
    'known K3 by reference',
  ]);
});
