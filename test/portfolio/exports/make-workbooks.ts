import { join } from 'node:path';
import excel, { type Workbook, type Worksheet } from 'exceljs';

/**
 * Writes the workbooks of this folder with exceljs, a writer that is not Limitline's own. Run it by hand with
 * `node test/portfolio/exports/make-workbooks.ts`, and look at the workbooks before you commit them.
 */

type Cell = string | number | Date | null;

function sheetOf(book: Workbook, name: string, rows: Cell[][]): Worksheet {
  const sheet = book.addWorksheet(name);
  for (const row of rows) sheet.addRow(row);
  return sheet;
}

async function save(book: Workbook, name: string): Promise<void> {
  // The same bytes each time.
  book.created = new Date('2026-09-30T08:00:00Z');
  book.modified = book.created;
  await book.xlsx.writeFile(join(import.meta.dirname, name));
}

/** Fiori's "Export to Spreadsheet" (sap.ui.export.Spreadsheet): one sheet, a unit beside each amount. */
async function s4(): Promise<void> {
  const book = new excel.Workbook();
  const sheet = sheetOf(book, 'SAPUI5 Export', [
    [
      'Business Partner',
      'Business Partner Name',
      'Country/Region',
      'City',
      'Credit Segment',
      'Credit Limit',
      'Currency',
      'Utilization',
      'Last Review',
    ],
    ['1000210', 'Habsburg Feinkost GmbH', 'AT', 'Wien', '1000', 150000, 'EUR', 0.42, new Date('2026-03-31')],
    ['1000211', 'Varmlands Trä AB', 'SE', 'Karlstad', '1000', 82500.25, 'EUR', 0.1, new Date('2025-12-01')],
    ['0000012', 'Dunărea Agro SRL', 'RO', 'Galați', '1000', 0, 'EUR', 0, null],
    ['1000213', 'Çınar Tekstil A.Ş.', 'TR', 'Bursa', '1000', 640000, 'EUR', 0.87, new Date('2026-06-30')],
  ]);
  sheet.getColumn(6).numFmt = '#,##0.00';
  sheet.getColumn(8).numFmt = '0%';
  sheet.getColumn(9).numFmt = 'dd.mm.yyyy';
  sheet.views = [{ state: 'frozen', ySplit: 1 }];
  await save(book, 'sap-s4-credit-accounts.xlsx');
}

/** Business Central's "Open in Excel" of the list of customers: its fields by their captions, as a table. */
async function businessCentral(): Promise<void> {
  const book = new excel.Workbook();
  const columns = [
    'No.',
    'Name',
    'Address',
    'City',
    'Country/Region Code',
    'Registration No.',
    'E-Mail',
    'Home Page',
    'Balance (LCY)',
    'Credit Limit (LCY)',
    'Blocked',
  ];
  const rows: Cell[][] = [
    [
      '10000',
      'Adatum Werkzeuge GmbH',
      'Fabrikstr. 9',
      'Chemnitz',
      'DE',
      'HRB 20417',
      'kreditoren@adatum.example',
      'https://adatum.example',
      0,
      100000,
      '',
    ],
    ['20000', 'Trey Forskning ApS', 'Havnevej 2', 'Aarhus', 'DK', '12345678', '', '', 1250.5, 55000.5, ''],
    ['30000', 'School of Fine Art', '10 High St', 'London', 'GB', '', 'office@fineart.example', '', 220, 0, 'All'],
    ['40000', 'Alpine Ski House', 'Bahnhofstr. 1', 'Chur', 'CH', 'CHE-123.456.789', '', '', 0, 9000, ''],
  ];
  const sheet = book.addWorksheet('Customers');
  sheet.addTable({
    name: 'Customers',
    ref: 'A1',
    headerRow: true,
    columns: columns.map((name) => ({ name, filterButton: true })),
    rows,
  });
  await save(book, 'business-central-customers.xlsx');
}

/** QuickBooks Online's report "Customer Contact List" as it goes to Excel: company, report, date, a blank row, and a footer. */
async function quickBooks(): Promise<void> {
  const book = new excel.Workbook();
  sheetOf(book, 'Customer Contact List', [
    ['Harbor Tools Inc.'],
    ['Customer Contact List'],
    ['As of September 30, 2026'],
    [],
    [
      'Customer',
      'Company name',
      'Email',
      'Billing street',
      'Billing city',
      'Billing state',
      'Billing country',
      'Credit limit',
    ],
    ['Coastal', 'Coastal Rope & Rigging LLC', 'ap@coastalrope.example', '8 Pier Rd', 'Astoria', 'OR', 'USA', 40000],
    [
      'Great Plains',
      'Great Plains Feed Co.',
      'office@gpfeed.example',
      '220 Grain St',
      'Salina',
      'KS',
      'USA',
      125000.75,
    ],
    ['Total Comfort', 'Total Comfort HVAC Inc', '', '5 Elm Ct', 'Dover', 'DE', 'USA', 15000],
    ['TOTAL', '', '', '', '', '', '', 180000.75],
    [],
    ['Thursday, October 1, 2026 09:14 AM GMT-07:00'],
  ]);
  await save(book, 'quickbooks-customer-contact-list.xlsx');
}

/** A list that a person keeps: a hidden sheet in front, a title, rows that a filter hides, subtotals, notes below. */
async function byHand(): Promise<void> {
  const book = new excel.Workbook();
  const template = sheetOf(book, 'Vorlage', [
    ['Name', 'Kreditlimit'],
    ['Muster GmbH', 1],
  ]);
  template.state = 'hidden';
  const sheet = sheetOf(book, 'Limite Q4', [
    ['Limitanträge 4. Quartal'],
    ['Stand:', new Date('2026-09-30')],
    [],
    ['Kundennr.', 'Firma', 'Land', 'Ort', 'HRB', 'Kreditlimit (EUR)', 'Bemerkung'],
    ['0042', 'Kiesel & Sand GmbH', 'DE', 'Kiel', 'HRB 1234', 80000, null],
    ['0043', 'Alster Yachten AG', 'DE', 'Hamburg', 'HRB 98', 1300000, 'neue Bilanz'],
    ['0044', 'Weser Kontor KG', 'DE', 'Bremen', 'HRA 77', 20000, 'gekündigt'],
    [null, 'Summe Nord', null, null, null, 1400000, null],
    ['0051', 'Isar Optik GmbH', 'DE', 'München', 'HRB 1234', 45000.5, null],
    ['0052', 'Donau Druck GmbH & Co. KG', 'DE', 'Passau', 'HRA 5', 15000, null],
    [null, 'Summe Süd', null, null, null, 60000.5, null],
    [null, 'Gesamtsumme', null, null, null, 1460000.5, null],
    [],
    ['* Beträge ohne Umsatzsteuer'],
  ]);
  sheet.getRow(7).hidden = true;
  sheet.getColumn(6).numFmt = '#,##0.00';
  sheetOf(book, 'Ablehnungen', [
    ['Firma', 'Grund'],
    ['Spree Bau UG', 'keine Auskunft'],
  ]);
  await save(book, 'excel-by-hand.xlsx');
}

for (const make of [s4, businessCentral, quickBooks, byHand]) await make();
