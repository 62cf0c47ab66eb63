import { isDeepStrictEqual } from 'node:util';
import { isKnown, type KnownColumn } from '../../../portfolio/columns/known-columns.ts';
import type { Mapping } from '../../../portfolio/columns/mapping.ts';
import type { PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import type { Preview } from '../../../portfolio/preview.ts';
import { type ReadOptions, readOptionsSchema } from '../../../portfolio/read-options.ts';
import { ConsoleError } from '../../console-app.ts';

type Fields = Readonly<Record<string, string>>;

/** As many as the form may have of what every line has. */
const MOST_CONSTANTS = 30;

/**
 * How the file is to be read by what the form says: a column that was left as it was found is not said, so that another file of
 * the form is free to have it otherwise.
 *
 * @throws ConsoleError 422 for what cannot be meant
 */
export function readReading(fields: Fields, draft: PortfolioDraft, preview: Preview | undefined): ReadOptions {
  const { encoding, delimiter, sheet, headerLine, decimal, dates, hiddenRows } = fields;
  const mapping = readMapping(fields, draft, preview);
  const line = headerLine?.trim() ?? '';
  if (line !== '' && !/^[1-9]\d{0,6}$/.test(line)) {
    throw new ConsoleError(422, `"${line}" is no line: give the number of the line that has the names of the columns.`);
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
  throw new ConsoleError(
    422,
    `The form says something that there is not (${read.error.issues[0]?.path.join('.')}): load the page again.`,
  );
}

/**
 * Whether the form says to read the file otherwise than it is read: something in it was typed and not applied. A form without these
 * fields says nothing.
 *
 * @throws ConsoleError 422 for what cannot be meant
 */
export function saysOtherwise(fields: Fields, draft: PortfolioDraft, preview: Preview | undefined): boolean {
  if (fields.portfolio !== undefined && fields.portfolio.trim() !== draft.portfolio) return true;
  if (fields.headerLine === undefined) return false;
  const asked = preview && { ...preview, faults: [], fileWarnings: [] };
  const { encoding, delimiter, sheet, decimal, dates, hiddenRows } = draft.reading;
  // Nothing is asked of a delimiter for a workbook, or of hidden rows for a text.
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

/** Without what says no more than its absence, and whichever prototype it has. */
function plain({ mapping, hiddenRows, ...others }: ReadOptions): unknown {
  const { columns = {}, constants = {} } = mapping ?? {};
  return { ...others, hiddenRows: hiddenRows === true, columns: { ...columns }, constants: { ...constants } };
}

function given(name: string, value: string | undefined): Record<string, string> {
  return value === undefined || value === '' ? {} : { [name]: value };
}

function readMapping(fields: Fields, { reading }: PortfolioDraft, preview: Preview | undefined): Mapping | undefined {
  const columns: Mapping['columns'] = Object.assign(Object.create(null), reading.mapping?.columns ?? {});
  // Where it is asked what a column is, leaving it as it is says so.
  const isAsked = (written: string) =>
    preview !== undefined &&
    (preview.faults.length > 0 || preview.fileWarnings.some(({ column }) => column === written));
  for (const { index, written, known } of preview?.columns ?? []) {
    const chosen = fields[`column-${index}`];
    if (chosen === undefined || written === '') continue;
    if (chosen === (known ?? '') && !isAsked(written)) continue;
    columns[written] = chosen === '' ? null : knownColumn(chosen);
  }
  const constants = readConstants(fields) ?? reading.mapping?.constants ?? {};
  if (Object.keys(columns).length === 0 && Object.keys(constants).length === 0) return undefined;
  return { columns, constants };
}

/** Nothing where the form has no such fields. */
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

function knownColumn(name: string): KnownColumn {
  if (isKnown(name)) return name;
  throw new ConsoleError(422, 'The form names a column that there is not: load the page again.');
}
