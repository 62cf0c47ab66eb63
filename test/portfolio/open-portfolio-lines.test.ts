import { describe, expect, test } from 'vitest';
import { buyerKey, requestKey } from '../../src/portfolio/identity/identity.ts';
import { PDF, read, told } from '../support/workbooks.ts';

describe('a row', () => {
  test('has all values of its line', async () => {
    const header =
      'Name,Address.Country Code,city,street,state,website,business_information_source,business_information_id,' +
      'company_registration_number,Requested-Limit,contact.first_name,contact.last_name,contact.email,' +
      'supporting_documents,statements_dated,buyer_reference,request_reference,company_id,Account Manager';
    const cells =
      'Acme GmbH,DE,Kiel,"Dock 1\nGate 2",SH,https://acme.example,creditsafe,DE1,HRB 1,+1000.50,Ann,Berg,ann@acme.example,' +
      'a.pdf| sub/b.pdf |a.pdf,2025-12-31,B-1,R-1,company_1,Inga';
    const {
      lines,
      header: names,
      problems,
      warnings,
    } = await read(`\ufeff${header}\r\n${cells}\r\n`, { pdfs: ['a.pdf', 'sub/b.pdf'] });
    const buyer = buyerKey({ buyerReference: 'B-1', name: '' });
    expect({ problems, warnings, names: names.slice(0, 2) }).toEqual({
      problems: [],
      warnings: [],
      names: ['Name', 'Address.Country Code'],
    });
    expect(lines).toEqual([
      {
        kind: 'row',
        line: 2,
        cells: expect.arrayContaining(['+1000.50', 'a.pdf| sub/b.pdf |a.pdf', 'Dock 1\nGate 2', 'Inga']),
        warnings: [],
        changed: [],
        row: {
          key: requestKey({ requestReference: 'R-1', buyer, requestedLimit: '1000.5' }),
          buyer,
          name: 'Acme GmbH',
          reference: 'R-1',
          company: {
            name: 'Acme GmbH',
            address: { country_code: 'DE', city: 'Kiel', street: 'Dock 1\nGate 2', state: 'SH' },
            website: 'https://acme.example',
          },
          companyId: 'company_1',
          limit: {
            business_information_source: 'creditsafe',
            business_information_id: 'DE1',
            company_registration_number: 'HRB 1',
            requested_limit: '1000.5',
            contact: { first_name: 'Ann', last_name: 'Berg', email: 'ann@acme.example' },
          },
          documents: [
            expect.objectContaining({ name: 'a.pdf', mediaType: 'application/pdf' }),
            expect.objectContaining({ name: 'b.pdf', sizeBytes: Buffer.byteLength(PDF) }),
          ],
        },
      },
    ]);
  });

  test('leaves out empty cells, except that an empty state is null', async () => {
    const { lines } = await read('name,requested_limit,state,city,contact_email\n Acme ,1,  ,\u00a0,\n');
    expect(lines).toEqual([expect.objectContaining({ kind: 'row', cells: [' Acme ', '1', '  ', '\u00a0', ''] })]);
    const [line] = lines;
    expect(line?.kind === 'row' && line.row).toEqual({
      key: expect.stringMatching(/^[\w-]{16}$/),
      buyer: buyerKey({ name: 'Acme' }),
      name: 'Acme',
      company: { name: 'Acme', address: { state: null } },
      limit: { requested_limit: '1' },
      documents: [],
    });
  });
});

test('columns and documents may have the names of JavaScript object properties', async () => {
  const { lines, header, problems } = await read(
    'name,requested_limit,supporting_documents,__proto__,constructor\nA,1,a.constructor|__proto__,own,mine\n',
    { pdfs: ['a.constructor', '__proto__'], requiredColumns: ['__proto__', 'constructor'] },
  );
  expect({ problems, own: header.slice(3) }).toEqual({ problems: [], own: ['__proto__', 'constructor'] });
  expect(lines).toMatchObject([
    {
      kind: 'row',
      cells: ['A', '1', 'a.constructor|__proto__', 'own', 'mine'],
      row: { documents: [{ name: 'a.constructor', mediaType: 'application/pdf' }, { name: '__proto__' }] },
    },
  ]);
});

describe('an invalid line', () => {
  // Promise: check-names-every-problem
  test('lists all its problems, with the columns as the header writes them', async () => {
    const { lines } = await read(
      'Name,Country Code,Requested Limit,Contact E-mail,contact.email,supporting_documents\n,dex,1e5,own,nobody,none.pdf|/a.pdf\n',
      { pdfs: [] },
    );
    expect(told(lines)).toEqual([
      expect.stringMatching(/^2 Name: .*must not be/),
      '2 Country Code: dex is not a country code: write the two letters of ISO 3166-1, such as DE or US.',
      expect.stringMatching(/^2 Requested Limit: .*exponent/),
      expect.stringMatching(/^2 contact.email: .*not an e-mail/),
      expect.stringMatching(/^2 supporting_documents: There is no documents folder/),
      expect.stringMatching(/^2 supporting_documents: \/a.pdf is an absolute path/),
    ]);
  });

  test('lacks a column of REQUIRED_COLUMNS', async () => {
    const { lines } = await read('name,requested_limit,Cost Centre,website\nA,1,,\nB,1,7,https://b.example\n', {
      requiredColumns: ['cost_centre', 'website'],
    });
    expect(lines.map((line) => line.kind)).toEqual(['invalid', 'row']);
    expect(told(lines)).toEqual([
      expect.stringMatching(/^2 Cost Centre: .*must not be/),
      expect.stringMatching(/^2 website: .*must not be/),
    ]);
  });

  test('names documents although there is no documents folder', async () => {
    const { lines } = await read('name,requested_limit,supporting_documents\nA,1,a.pdf\nB,1,|\n');
    expect(lines.map((line) => line.kind)).toEqual(['invalid', 'row']);
    expect(told(lines)).toEqual([
      '2 supporting_documents: There is no folder to look for documents in: name it with --documents DIR.',
    ]);
  });

  test('does not affect valid lines after it', async () => {
    const text = [
      'name,requested_limit,note',
      'too few,1',
      'too many,1,a,b',
      '',
      'unclosed,1,"x',
      'stray,1,5" pipe',
      'control\x07,1,x',
      'nul,1,x\0',
      'swallowed,"1,x',
      'good,2,"two',
      'lines, both mine"',
      'spelled,3,\ufffd',
    ];
    const bytes = Buffer.concat([
      Buffer.from(`${text.join('\n')}\nM`),
      Buffer.of(0xfc),
      Buffer.from('ller,4,x\nlast,5,x'),
    ]);
    const { lines } = await read(bytes);
    expect(lines.map((line) => [line.line, line.kind])).toEqual([
      [2, 'invalid'],
      [3, 'invalid'],
      [5, 'invalid'],
      [6, 'invalid'],
      [7, 'invalid'],
      [8, 'invalid'],
      [9, 'invalid'],
      [10, 'row'],
      [12, 'row'],
      [13, 'invalid'],
      [14, 'row'],
    ]);
    expect(told(lines)).toEqual([
      expect.stringMatching(/^2 null: .*2 cells and the header 3/),
      expect.stringMatching(/^3 null: .*4 cells and the header 3/),
      expect.stringMatching(/^5 note: .*never closed/),
      expect.stringMatching(/^6 note: .*inside this cell/),
      expect.stringMatching(/^7 name: .*U\+0007/),
      expect.stringMatching(/^8 note: .*U\+0000/),
      expect.stringMatching(/^9 requested_limit: .*never closed/),
      expect.stringMatching(/^13 name: The byte FC .*meant as ü/),
    ]);
    expect(lines.at(-2)?.cells).toEqual(['M\ufffdller', '4', 'x']);
  });
});

// Promise: line-inside-a-cell
test('a line inside a quoted cell is not requested, nor is the line around it', async () => {
  const { lines } = await read(
    'name,requested_limit,note\nAcme,100,"earlier terms:\nBeta,500000,declined\nsee mail"\nGamma,5,x\n',
  );
  expect(lines).toMatchObject([
    { kind: 'invalid', line: 2 },
    { kind: 'row', line: 5, row: { name: 'Gamma' } },
  ]);
  expect(told(lines)).toEqual([
    expect.stringMatching(/^2 note: This cell contains line 3, .*lines 2 to 4.*take the line out/),
  ]);
});

describe('a duplicate', () => {
  test('is a line with the same request as an earlier line', async () => {
    const { lines } = await read(
      [
        'name,country_code,requested_limit,buyer_reference,request_reference',
        'Acme GmbH,DE,1000.50,,',
        'ACME  gmbh,DE,+1000.5,,',
        'Acme GmbH,DE,1000.51,,',
        'Acme GmbH,AT,1000.50,,',
        'Acme GmbH,DE,1000.50,,R-1',
        'acme gmbh,DE,1000.50,,r-1',
        'Acme GmbH,dex,1000.51,,R-2',
        'Acme GmbH,DE,1000.51,,R-2',
      ].join('\n'),
    );
    expect(lines.map((line) => (line.kind === 'duplicate' ? line.of : line.kind))).toEqual([
      'row',
      2,
      'row',
      'row',
      'row',
      6,
      'invalid',
      // An invalid line is no request, so the line below it is the first.
      'row',
    ]);
    expect(told(lines)).toEqual([
      expect.stringMatching(/^3 null: Line 2 already asks for the same limit/),
      expect.stringMatching(/^7 null: Line 6 already has the same request_reference/),
      expect.stringMatching(/^8 country_code: dex is not a country code/),
    ]);
  });
});

describe('advice', () => {
  // Promise: statement-date-is-advice-only
  test('is given on lines above USD 750k, and once for all lines without documents', async () => {
    const { lines, warnings } = await read(
      [
        'name,requested_limit,supporting_documents,Statements Dated',
        'A,1000,,',
        'B,800000,,',
        'C,800000,a.pdf,2024-12-31',
        'D,800000,a.pdf|b.pdf,2025-12-31',
        'E,-1,,',
      ].join('\n'),
      { pdfs: ['a.pdf', 'b.pdf'] },
    );
    expect(lines.map((line) => line.kind)).toEqual(['row', 'row', 'row', 'row', 'invalid']);
    expect(told(lines.slice(0, 4))).toEqual([
      expect.stringMatching(/^3 requested_limit: Above USD 750k.*names no document/),
      expect.stringMatching(/^4 Statements Dated: Above USD 750k.*from before 2025-01-21/),
    ]);
    expect(warnings.map((one) => one.message)).toEqual([expect.stringMatching(/^2 of 4 good lines name no document/)]);
  });

  // Promise: advice-by-currency
  test.each([
    ['Kreditlimit (EUR)', '800000', undefined, []],
    ['Kreditlimit (EUR)', '800000', { EUR: 700_000 }, ['Above EUR 700k']],
    ['requested_limit', '€ 800000', undefined, []],
    ['requested_limit', 'USD 800000', { EUR: 700_000 }, ['Above USD 750k']],
  ])('compares amounts in the currency of the file: %s, %s, %j', async (header, amount, adviseAbove, begins) => {
    const { lines } = await read(`name,${header}\nA,${amount}\n`, { adviseAbove });
    const warnings = lines.flatMap((line) => (line.kind === 'row' ? line.warnings : []));
    expect(warnings.map(({ message }) => message.slice(0, 14))).toEqual(begins);
  });

  // Promise: advice-by-currency
  test.each<[string[], string[]]>([
    [['', '$', '＄'], ['Above USD 750k']],
    [['€', 'EUR', 'ＥＵＲ', 'евро', 'ευρώ'], ['Above EUR 700k']],
    [['£', '￡', 'ЕUR', 'доллар', '欧元', 'LCY', '¤'], []],
  ])('is not given if the currency is unknown: %j gives %j', async (words, begins) => {
    for (const word of words) {
      const header = `Kreditlimit${word && ` (${word})`}`;
      const adviseAbove = { EUR: 700_000 };
      const mapping = { columns: { [header]: 'requested_limit' as const }, constants: {} };
      const beside = `name,requested_limit\nA,800000 ${word}\n`;
      for (const file of [`name,${header}\nA,800000\n`, `name,${header},currency\nA,800000,${word}\n`, beside]) {
        const { lines } = await read(file, file === beside ? { adviseAbove } : { adviseAbove, mapping });
        const [line] = lines;
        // An amount beside a word that is no currency is invalid.
        if (file !== beside || line?.kind === 'row')
          expect(line?.kind === 'row' && line.warnings.map(({ message }) => message.slice(0, 14)), file).toEqual(
            begins,
          );
      }
    }
  });

  test('says that a single document may be only one of the two statements', async () => {
    const { lines } = await read('name,requested_limit,supporting_documents\nA,800000,a.pdf\n', { pdfs: ['a.pdf'] });
    const says = /^2 supporting_documents: .*names one document, which may be only one of the two/;
    expect(told(lines)).toEqual([expect.stringMatching(says)]);
  });

  test('is given for a file that has only a header', async () => {
    const { lines, warnings } = await read('name,requested_limit\n');
    expect(lines).toEqual([]);
    expect(warnings.map((one) => one.message)).toEqual([expect.stringContaining('no line below')]);
  });
});
