import { describe, expect, test } from 'vitest';
import { makeFileBook, makeFileBuyers } from '../../../src/portfolio/identity/in-file/buyers.ts';
import { type Given, inWords, makeMapStore, tellFile, tellLines } from '../../support/buyers-fixture.ts';

const [MUELLER, SCHMIDT, SCHULZ] = ['Müller Stahl GmbH', 'Schmidt Blumen GmbH', 'Schulz AG'];

/** The decisions on a file, equal with an exact store and with the one that a check holds in memory. */
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
      'by its reference, although other identifiers change',
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
      'by the number, if the reference is new',
      [{ reg: 'HRB 1' }, { reg: 'HRB 1', ref: '7' }, { ref: '7', name: 'Muster' }],
      ['new K1', 'known K1 by registration', 'known K1 by reference'],
    ],
    [
      'by the name, if the number is new',
      [{}, { reg: 'HRB 1' }, { reg: 'HRB 1', name: 'Muster' }],
      ['new K1', 'known K1 by name', 'known K1 by registration'],
    ],
    [
      'and two references are two buyers, although number and name are equal',
      [
        { ref: '1', reg: 'HRB 1' },
        { ref: '2', reg: 'HRB 1' },
      ],
      ['new K1', 'new K2'],
    ],
    [
      'and two numbers are two buyers, although the name is equal',
      [{ reg: 'HRB 1' }, { reg: 'HRB 2' }],
      ['new K1', 'new K2'],
    ],
    [
      'by its name, among buyers with the same number',
      [
        { ref: '1', reg: 'HRB 1', name: MUELLER },
        { ref: '2', reg: 'HRB 1', name: SCHMIDT },
        { reg: 'HRB 1', name: 'Schmidt Blumen' },
      ],
      ['new K1', 'new K2', 'known K2 by registration'],
    ],
    [
      'but not between two buyers with the same number and name',
      [{ ref: '1', reg: 'HRB 1' }, { ref: '2', reg: 'HRB 1' }, { reg: 'HRB 1' }],
      ['new K1', 'new K2', 'unclear'],
    ],
    [
      'between two such buyers, if an equal line came before',
      [{ reg: 'HRB 1' }, { ref: '1', reg: 'HRB 1' }, { ref: '2', reg: 'HRB 1' }, { reg: 'HRB 1' }],
      ['new K1', 'known K1 by registration', 'new K2', 'known K1 by registration'],
    ],
  ])('%s', async (_what, lines, words) => {
    expect(await told(lines)).toEqual(words);
  });
});

describe('a line is a problem', () => {
  // Promise: two-buyers-one-number
  test.each<[string, Given[], RegExp]>([
    [
      'if its number belongs to another name',
      [
        { reg: 'HRB 1234', name: MUELLER },
        { reg: 'HRB 1234', name: SCHMIDT },
      ],
      /^The company registration number HRB 1234 belongs to "Müller Stahl GmbH" \(line 2\), and this line names "Schmidt Blumen GmbH"\. .*buyer_reference of its own.*--same-buyer 3 /,
    ],
    [
      'if its reference belongs to another name',
      [
        { ref: '1', name: MUELLER },
        { ref: '1', name: SCHMIDT },
      ],
      /^The buyer_reference 1 belongs to "Müller Stahl GmbH", reference 1 \(line 2\)/,
    ],
    [
      'if its number belongs to another name, although its reference is new',
      [
        { reg: 'HRB 1', name: MUELLER },
        { ref: '2', reg: 'HRB 1', name: SCHMIDT },
      ],
      /write "no" in the column same_buyer/,
    ],
    [
      'if its identifiers belong to two buyers',
      [{ ref: '1' }, { ref: '2', reg: 'HRB 2', name: SCHMIDT }, { ref: '1', reg: 'HRB 2' }],
      /^The buyer_reference 1 belongs to "Muster GmbH", reference 1 \(line 2\), but the company registration number HRB 2 to "Schmidt Blumen GmbH", reference 2 \(line 3\)/,
    ],
    [
      'if several buyers share its number, and none has its name',
      [
        { ref: '1', reg: 'HRB 1', name: MUELLER },
        { ref: '2', reg: 'HRB 1', name: SCHMIDT },
        { reg: 'HRB 1', name: SCHULZ },
      ],
      /^The company registration number HRB 1 belongs to several buyers, "Müller Stahl GmbH", reference 1 \(line 2\) and "Schmidt.*give it a buyer_reference\.$/,
    ],
    [
      'if same_buyer says no, and it has no other identifier',
      [{ reg: 'HRB 1' }, { reg: 'HRB 1', same: 'no' }],
      /^same_buyer says no, but .* give this line a buyer_reference of its own as well\.$/,
    ],
  ])('%s', async (_what, lines, message) => {
    const last = (await tellFile(makeMapStore(), lines)).at(-1);
    expect(last).toMatchObject({ is: 'unclear', problem: { message: expect.stringMatching(message) } });
  });
});

describe('a person says by same_buyer', () => {
  // Promise: same-buyer-by-a-person
  test.each<[string, Given[], string[]]>([
    [
      'that two names are one buyer, and the new name is remembered',
      [
        { reg: 'HRB 1', name: MUELLER },
        { reg: 'HRB 1', name: SCHMIDT, same: 'yes' },
        { reg: 'HRB 1', name: SCHMIDT, limit: '7' },
      ],
      ['new K1', 'known K1 by registration', 'known K1 by registration'],
    ],
    [
      'that the reference counts, and not the number',
      [{ ref: '1' }, { ref: '2', reg: 'HRB 2' }, { ref: '1', reg: 'HRB 2', same: 'yes' }],
      ['new K1', 'new K2', 'known K1 by reference'],
    ],
    [
      'that a reference is a second one of the same buyer',
      [{ ref: '1', reg: 'HRB 1' }, { ref: '2', reg: 'HRB 1', same: 'yes' }, { ref: '2' }],
      ['new K1', 'known K1 by registration', 'known K1 by reference'],
    ],
    [
      'that two similar names are the same buyer',
      [{ name: 'Müller GmbH' }, { name: 'Mueller GmbH', same: 'yes' }],
      ['new K1', 'known K1 by name'],
    ],
    [
      'that they are two buyers, if a reference is new',
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
    // Imported again, each line has the same buyer.
    const again = inWords(await tellFile(store, lines), names);
    expect(again.map((word) => word.split(' ')[1])).toEqual(words.map((word) => word.split(' ')[1]));
  });
});

describe('a warning', () => {
  test.each<[string, Given[], RegExp[]]>([
    [
      'about another city explains how to name another buyer',
      [{ city: 'Köln' }, { ref: '1', city: 'München' }],
      [
        /^The city differs from "Köln" of "Muster GmbH" \(line 2\).* another buyer, write "no" in the column same_buyer/,
      ],
    ],
    [
      'about another street is not given for other spellings',
      [
        { ref: '1', street: 'Hauptstr. 1' },
        { ref: '1', street: 'Hauptstraße 1' },
      ],
      [],
    ],
    [
      'is given for a similar name with another number',
      [
        { reg: '1', name: 'Müller GmbH' },
        { reg: '2', name: 'Mueller AG' },
      ],
      [/^This may be the same buyer as line 2 \("Müller GmbH"\)/],
    ],
    ['is not given for a similar name in another country', [{ reg: '1' }, { reg: '1', country: 'AT' }], []],
    ['is given if the earlier line has no country', [{ country: '' }, {}], [/^This may be the same buyer as line 2 /]],
    ['is given if the line itself has no country', [{}, { country: '' }], [/^This may be the same buyer as line 2 /]],
    ['is not given if same_buyer says no', [{}, { country: '', same: 'no' }], []],
    [
      'is given for another name with the same company_id, also of a known buyer',
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
  test('same_buyer can say that a line without a country is the buyer with one', async () => {
    expect(inWords(await tellFile(makeMapStore(), [{}, { country: '', same: 'yes' }]))).toEqual([
      'new K1',
      'known K1 by name',
    ]);
  });
});

describe('the name of a buyer that was not sent is corrected', () => {
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
    ['but not if the line has another amount', [{ ...after, limit: '2' }], { importId: 'b' }],
    ['but not in another portfolio', [after], { importId: 'b', portfolio: 'q5' }],
    ['but not by another line of the same file', [before, after], {}],
    ['but not if the file also has the old name', [before, after], { importId: 'b' }],
  ])('%s', async (_what, lines, where) => {
    const store = makeMapStore();
    await tellFile(store, [before]);
    expect(inWords(await tellFile(store, lines, where)).at(-1)).toBe('unclear');
  });

  test('but not if something was sent', async () => {
    const sent = new Set<string>();
    const store = makeMapStore(sent);
    const [first] = await tellFile(store, [before]);
    if (first?.is === 'new') sent.add(first.key);
    expect(inWords(await tellFile(store, [after], { importId: 'b' }))).toEqual(['unclear']);
  });
});

test('a buyer whose reference an earlier version read as 4711.0 or ="4711" is found by name or number and gets the new reference', async () => {
  const store = makeMapStore();
  await tellFile(store, [{ ref: '4711.0' }, { ref: '="4712"', reg: 'HRB 1', name: 'Other' }, { ref: '4713.0' }]);
  const later = [{ ref: '4711' }, { ref: '4712', reg: 'HRB 1', name: 'Other' }, { ref: '4714' }];
  const words = ['known K1 by name', 'known K2 by registration', 'new K3'];
  expect(inWords(await tellFile(store, later, { importId: 'b' }))).toEqual(words);
  expect(inWords(await tellFile(store, later, { importId: 'c' }))).toEqual([
    'known K1 by reference',
    'known K2 by reference',
    'known K3 by reference',
  ]);
});
