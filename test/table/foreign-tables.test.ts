import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { wrongKindOf } from '../../src/table/foreign-tables.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { HEADER, read, writeWorkbook, writeZip } from '../support/workbooks.ts';

/** A compound file of 512-byte sectors with these streams in its directory. */
function compoundFile(names: string[], { shift = 9 } = {}): Buffer {
  const sector = 1 << shift;
  const sectors = Math.ceil((names.length + 1) / (sector / 128));
  const bytes = Buffer.alloc(sector * (sectors * 2 + 2));
  bytes.write('d0cf11e0a1b11ae1', 'hex');
  bytes.writeUInt16LE(shift, 30);
  bytes.writeUInt32LE(1, 48);
  // The sector table is in the first sector; the directory takes every second one after it.
  bytes.writeUInt32LE(0, 76);
  for (const [place, name] of ['Root Entry', ...names].entries()) {
    const at = sector * (2 + 2 * Math.floor(place / (sector / 128))) + (place % (sector / 128)) * 128;
    bytes.write(name, at, 'utf16le');
    bytes.writeUInt16LE(name.length * 2 + 2, at + 64);
  }
  for (let one = 0; one < sectors; one += 1) {
    bytes.writeUInt32LE(one === sectors - 1 ? 0xfffffffe : 3 + 2 * one, sector + (1 + 2 * one) * 4);
  }
  return bytes;
}

const DATA_SPACES = ['\u0006DataSpaces', 'Version', 'DataSpaceMap', 'DataSpaceInfo', 'StrongEncryptionDataSpace'];

describe('a table of another program', () => {
  // Promise: foreign-files-named
  test.each<[string, Uint8Array | string, RegExp]>([
    [
      'a workbook with a password',
      compoundFile([...DATA_SPACES, 'EncryptionInfo', 'EncryptedPackage']),
      /password.*remove the password/,
    ],
    [
      'a workbook with a password and large sectors',
      compoundFile([...DATA_SPACES, 'EncryptedPackage'], { shift: 12 }),
      /password/,
    ],
    ['an old workbook', compoundFile(['Workbook', '\u0005SummaryInformation']), /\.xls\).*save it as \.xlsx/],
    ['an older workbook', compoundFile(['Book']), /\.xls\)/],
    ['a workbook of Excel 3', Buffer.from([0x09, 0x02, 0x06, 0x00, 0, 0, 0x10, 0]), /\.xls\)/],
    ['a Word document', compoundFile(['1Table', 'WordDocument']), /Word or PowerPoint/],
    ['a broken compound file', compoundFile([]).subarray(0, 40), /old Excel workbook or another/],
    [
      "a web page with a workbook's name",
      '\n<html xmlns:x="urn:schemas"><table><tr><td>name</td></tr></table></html>',
      /web page.*\.xlsx/,
    ],
    ['a web page with many comments in front', `${'<!-- -->\n'.repeat(200)}<html>`, /web page.*\.xlsx/],
    [
      'a flat table of LibreOffice',
      '<?xml version="1.0"?>\n<office:document xmlns:office="o">',
      /OpenDocument file.*save/,
    ],
    ['JSON', '[\n  {"name": "Acme", "requested_limit": 5}\n]', /This is JSON, not a table/],
    [
      'a JSON object a line',
      '\ufeff{"name":"Acme","requested_limit":5}\n{"name":"Tin"}\n',
      /This is JSON, not a table/,
    ],
    ['a workbook behind line breaks', Buffer.from('\ufeff\r\nPK\x03\x04rest'), /before the beginning.*export it again/],
    [
      'an XML spreadsheet',
      '\ufeff<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook/>',
      /Excel 2003/,
    ],
    ['an XML spreadsheet in UTF-16', Buffer.from('\ufeff<?xml version="1.0"?><Workbook/>', 'utf16le'), /Excel 2003/],
  ])('is recognised as %s, with a remedy', async (_what, content, words) => {
    const { problems, lines } = await read(content);
    expect({ problems, lines }).toEqual({
      problems: [expect.objectContaining({ message: expect.stringMatching(words) })],
      lines: [],
    });
  });

  // Promise: foreign-files-named
  test('is recognised as the lock file of an open workbook, and the message names the workbook', async () => {
    const { dir } = await makeTemporaryFolder();
    const path = join(dir, '~$Käufer.xlsx');
    await writeFile(path, Buffer.concat([Buffer.from('\u0006Müller', 'latin1'), Buffer.alloc(158, 0x20)]));
    const { problems } = await openPortfolio({ path });
    expect(problems).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/lock files.*: name the workbook itself, Käufer\.xlsx\.$/),
      }),
    ]);
  });

  // Promise: foreign-files-named
  test.each([
    ['mimetype', 'application/vnd.oasis.opendocument.spreadsheet', /OpenDocument.*\(\.ods\).*\.xlsx/],
    ['Index/Document.iwa', 'x', /Apple Numbers.*export/],
    ['xl/workbook.bin', 'x', /\.xlsb.*\.xlsx/],
    ['word/document.xml', 'x', /Word document/],
  ])('is recognised by a part of its ZIP file: %s', async (name, content, words) => {
    const { dir } = await makeTemporaryFolder();
    const parts = { [name]: content, 'META-INF/manifest.xml': '<manifest/>', 'preview.jpg': 'x' };
    const path = await writeZip(join(dir, 'a'), name === 'xl/workbook.bin' ? { [name]: content } : parts);
    const { problems } = await openPortfolio({ path });
    expect(problems).toEqual([expect.objectContaining({ message: expect.stringMatching(words) })]);
  });

  // Promise: foreign-files-named
  test('is recognised as a truncated workbook, with a remedy', async () => {
    const { dir, write } = await makeTemporaryFolder();
    const whole = await readFile(await writeWorkbook(join(dir, 'whole.xlsx'), { sheet: [HEADER] }));
    for (const left of [whole.length - 30, Math.floor(whole.length / 2)]) {
      const path = await write('cut.xlsx', whole.subarray(0, left));
      await expect(openPortfolio({ path })).rejects.toMatchObject({
        code: 'FILE',
        message: expect.stringMatching(/cut\.xlsx cannot be read: its end is missing.*get the file again/),
      });
    }
  });

  test("is not suspected in a buyer's name that begins like a web page", async () => {
    const { lines } = await read('name,requested_limit\n<html> GmbH,1\n');
    expect(lines).toMatchObject([{ kind: 'row' }]);
  });
});

test.each([
  ['504b0304', 'This is a ZIP file: unpack it and give the file that is in it.'],
  ['1f8b08', 'This is a gzip archive: unpack it and give the file that is in it.'],
  ['255044462d', 'This is a PDF document: save it as CSV UTF-8 with commas.'],
  ['fffe0000', 'This is text in UTF-32: save it as CSV UTF-8 with commas.'],
])('the first bytes %s of a file give the message: %s', (bytes, sentence) => {
  expect(wrongKindOf(Buffer.from(bytes, 'hex'))).toBe(sentence);
});

const comments = '<!-- -->\n'.repeat(200);

test.each(['', 'PK', 'name,limit', '\ufeffname', comments])('a file that begins with %j may be a table', (start) => {
  expect(wrongKindOf(Buffer.from(start))).toBeNull();
});
