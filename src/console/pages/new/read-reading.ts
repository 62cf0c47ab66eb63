import { isDeepStrictEqual } from 'node:util';
import { readExtraField } from '../../../portfolio/columns/extra-fields.ts';
import { isKnown, type KnownColumn } from '../../../portfolio/columns/known-columns.ts';
import type { HeaderMeaning, Mapping } from '../../../portfolio/columns/mapping.ts';
import type { PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import type { Preview } from '../../../portfolio/preview.ts';
import { type ReadOptions, readOptionsSchema } from '../../../portfolio/read-options.ts';
import { ConsoleError } from '../../console-app.ts';
import { t } from '../../html/html.ts';

type Fields = Readonly<Record<string, string>>;

/** Why a form was refused, and what was typed in it. */
export type RefusedForm = { message: string; typed: Fields };

/** The most columns with a value for every line (constants) that the form can state. */
const MOST_CONSTANTS = 30;

/**
 * The reading options that the form states. A column left as found is not stated, so that the next file of this form may differ.
 *
 * @throws ConsoleError 422 for an impossible value
 */
export function readReading(typed: Fields, draft: PortfolioDraft, preview: Preview | undefined): ReadOptions {
  const isOther = typed.sheet !== undefined && typed.sheet !== (draft.reading.sheet ?? '');
  if (isOther) return readForm(ofOtherSheet(typed, draft), { ...draft, reading: {} }, undefined);
  return isOtherHeader(typed, draft, preview)
    ? readForm(typed, { ...draft, reading: withoutColumns(draft.reading) }, undefined)
    : readForm(typed, draft, preview);
}

/** Whether the form names another line as the header. Its choices for columns belong to the header that it showed. */
function isOtherHeader({ headerLine }: Fields, { reading }: PortfolioDraft, preview: Preview | undefined): boolean {
  const line = headerLine?.trim();
  if (line === undefined || line === String(reading.headerLine ?? '')) return false;
  return line !== String(preview?.headerLine);
}

function withoutColumns({ mapping, ...others }: ReadOptions): ReadOptions {
  return mapping ? { ...others, mapping: { ...mapping, columns: {} } } : others;
}

/**
 * The reading options of a form that was refused, for showing it again: without the paths of columns, and without a header line
 * that is no number. If another value is impossible too, the draft's reading.
 */
export function typedReading(typed: Fields, draft: PortfolioDraft, preview: Preview): ReadOptions {
  const isFaulty = (name: string, value: string) =>
    name.startsWith('path-') || (name === 'headerLine' && !isLine(value));
  const others = Object.entries(typed).filter(([name, value]) => !isFaulty(name, value));
  try {
    return others.length === 0 ? draft.reading : readReading(Object.fromEntries(others), draft, preview);
  } catch (error) {
    if (error instanceof ConsoleError) return draft.reading;
    throw error;
  }
}

const isLine = (text: string): boolean => /^[1-9]\d{0,6}$/.test(text.trim());

/**
 * The fields of a form that chooses another sheet, without header line, decimal mark and dates, which belong to the earlier
 * sheet. Those that the form changes together with the sheet stay. So do constants and hidden rows.
 */
function ofOtherSheet(
  { headerLine = '', decimal = '', dates = '', ...others }: Fields,
  { reading }: PortfolioDraft,
): Fields {
  const isNew = (value: string, of: string | number | undefined) => value.trim() !== String(of ?? '');
  return {
    ...others,
    headerLine: isNew(headerLine, reading.headerLine) ? headerLine : '',
    decimal: isNew(decimal, reading.decimal) ? decimal : '',
    dates: isNew(dates, reading.dates) ? dates : '',
  };
}

function readForm(fields: Fields, draft: PortfolioDraft, preview: Preview | undefined): ReadOptions {
  const { encoding, delimiter, sheet, headerLine, decimal, dates, hiddenRows } = fields;
  const mapping = readMapping(fields, draft, preview);
  const line = headerLine?.trim() ?? '';
  if (line !== '' && !isLine(line)) {
    const message = t`"${line}" is no line: give the number of the line that has the names of the columns.`;
    throw new ConsoleError(422, message);
  }
  const { sameBuyer } = draft.reading;
  const said = {
    ...given('encoding', encoding),
    ...given('delimiter', delimiter),
    ...given('sheet', sheet),
    ...(line === '' ? {} : { headerLine: Number(line) }),
    ...(mapping === undefined ? {} : { mapping }),
    ...given('decimal', decimal),
    ...given('dates', dates),
    ...(hiddenRows === undefined ? {} : { hiddenRows: true }),
    ...(sameBuyer === undefined ? {} : { sameBuyer }),
  };
  const read = readOptionsSchema.safeParse(said);
  if (read.success) return read.data;
  const words = t`The form has a value that does not exist (${read.error.issues[0]?.path.join('.')}): load the page again.`;
  throw new ConsoleError(422, words);
}

/**
 * Whether the form states a portfolio or a reading that was typed and not applied. A form without such fields states none.
 *
 * @throws ConsoleError 422 for an impossible value
 */
export function saysOtherwise(fields: Fields, draft: PortfolioDraft, preview: Preview | undefined): boolean {
  if (fields.portfolio !== undefined && fields.portfolio.trim() !== draft.portfolio) return true;
  if (fields.headerLine === undefined) return false;
  const asked = preview && { ...preview, faults: [], fileWarnings: [] };
  const { encoding, delimiter, sheet, decimal, dates, hiddenRows } = draft.reading;
  // The form of a workbook has no delimiter, and the form of a text file no hidden rows: those keep the draft's value.
  const notAsked = {
    encoding,
    delimiter,
    sheet,
    decimal,
    dates,
    ...(fields.sheet === undefined && hiddenRows ? { hiddenRows: 'yes' } : {}),
  };
  const said = readReading({ ...definedOf(notAsked), ...fields }, draft, asked);
  return !isDeepStrictEqual(plain(said), plain(draft.reading));
}

const definedOf = (fields: Readonly<Record<string, string | undefined>>): Fields =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** A reading normalised for comparison: without defaults, and with plain objects. */
function plain({ mapping, hiddenRows, ...others }: ReadOptions): unknown {
  const { columns = {}, constants = {} } = mapping ?? {};
  return { ...others, hiddenRows: hiddenRows === true, columns: { ...columns }, constants: { ...constants } };
}

function given(name: string, value: string | undefined): Record<string, string> {
  return value === undefined || value === '' ? {} : { [name]: value };
}

function readMapping(fields: Fields, { reading }: PortfolioDraft, preview: Preview | undefined): Mapping | undefined {
  const columns: Mapping['columns'] = Object.assign(Object.create(null), reading.mapping?.columns ?? {});
  // Where the page asks for a column's meaning, a choice left unchanged is an answer.
  const isAsked = (written: string) =>
    preview !== undefined &&
    (preview.faults.length > 0 || preview.fileWarnings.some(({ column }) => column === written));
  for (const { index, written, known, extra = '' } of preview?.columns ?? []) {
    const chosen = fields[`column-${index}`];
    if (chosen === undefined || written === '') continue;
    const path = chosen === '' ? (fields[`path-${index}`]?.trim() ?? '') : '';
    if (chosen === (known ?? '') && path === extra && !isAsked(written)) continue;
    columns[written] = meaningOf(chosen, path);
  }
  const constants = readConstants(fields) ?? reading.mapping?.constants ?? {};
  if (Object.keys(columns).length === 0 && Object.keys(constants).length === 0) return undefined;
  return { columns, constants };
}

/** The values for every line that the form states; undefined for a form without fields for them. */
function readConstants(fields: Fields): Mapping['constants'] | undefined {
  if (fields['constant-name-0'] === undefined) return undefined;
  const constants: Mapping['constants'] = {};
  for (let at = 0; at < MOST_CONSTANTS; at += 1) {
    const name = fields[`constant-name-${at}`];
    const value = fields[`constant-value-${at}`]?.trim() ?? '';
    if (name === undefined || name === '' || value === '') continue;
    constants[knownColumn(name)] = value;
  }
  return constants;
}

function meaningOf(chosen: string, path: string): HeaderMeaning {
  if (chosen !== '') return knownColumn(chosen);
  if (path === '') return null;
  const read = readExtraField(path);
  if ('field' in read) return read.field;
  throw new ConsoleError(422, read.fault);
}

function knownColumn(name: string): KnownColumn {
  if (isKnown(name)) return name;
  throw new ConsoleError(422, t`The form names an unknown column: load the page again.`);
}
