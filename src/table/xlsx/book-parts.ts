/** The path of the sheet in the workbook's archive. */
export const SHEET = 'xl/worksheets/sheet1.xml';

export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** The indexes of the cell formats in {@link STYLE_SHEET}. */
export const STYLES = { text: 0, count: 0, header: 1, amount: 2, day: 3, moment: 4 } as const;

/**
 * All parts that Excel needs besides the sheet, by path.
 *
 * @param name the sheet's name, which is adapted to Excel's rules
 */
export function bookParts(name: string): Record<string, string> {
  return {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${contentTypes()}</Types>`,
    '_rels/.rels': relations({ officeDocument: 'xl/workbook.xml' }),
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><bookViews><workbookView/></bookViews><sheets><sheet name="${sheetName(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations({ worksheet: 'worksheets/sheet1.xml', styles: 'styles.xml' }),
    'xl/styles.xml': STYLE_SHEET,
  };
}

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Amounts with two to ten decimals; dates and times in an unambiguous form. */
const FORMATS = ['#,##0.00########', 'yyyy\\-mm\\-dd', 'yyyy\\-mm\\-dd\\ hh:mm:ss'];

/** The number of the first custom format; lower numbers are built-in formats (ECMA-376, part 1, 18.8.30). */
const FIRST_FORMAT = 164;

const FONT = '<sz val="11"/><name val="Calibri"/>';

/** Fonts, the fills and borders that Excel requires, and the cell formats: plain, header, amount, day, moment. */
const STYLE_SHEET = [
  `<styleSheet xmlns="${MAIN}">`,
  `<numFmts count="${FORMATS.length}">`,
  ...FORMATS.map((code, at) => `<numFmt numFmtId="${FIRST_FORMAT + at}" formatCode="${code}"/>`),
  `</numFmts><fonts count="2"><font>${FONT}</font><font><b/>${FONT}</font></fonts>`,
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
  `<cellXfs count="${2 + FORMATS.length}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>`,
  '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>',
  ...FORMATS.map(
    (_code, at) =>
      `<xf numFmtId="${FIRST_FORMAT + at}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
  ),
  '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
].join('');

function contentTypes(): string {
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const parts = { 'xl/workbook.xml': 'sheet.main', [SHEET]: 'worksheet', 'xl/styles.xml': 'styles' };
  return Object.entries(parts)
    .map(([path, kind]) => `<Override PartName="/${path}" ContentType="${type}.${kind}+xml"/>`)
    .join('');
}

function relations(targets: Record<string, string>): string {
  const each = Object.entries(targets).map(
    ([kind, target], at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`;
}

/**
 * A portfolio's name as the name of a sheet. Excel allows 31 characters, forbids some, and reserves one name. Portfolio names have no
 * quotes.
 */
function sheetName(name: string): string {
  const allowed = name
    .replace(/[^\p{L}\p{N} ._-]/gu, '-')
    .slice(0, 31)
    .toWellFormed();
  return /^history$/i.test(allowed) ? `${allowed}-` : allowed;
}
