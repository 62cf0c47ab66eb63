import { LimitlineError } from '../errors.ts';
import { codePageNamed } from './encodings/decoders.ts';

/** How a file's table is written: encoding, delimiter and line breaks. */
export type Dialect = {
  /** The WHATWG name of the encoding (Encoding Standard, section 4.2), such as `utf-8` or `windows-1252`. */
  encoding: string;
  /** Whether the file begins with a byte order mark. */
  bom: boolean;
  delimiter: Delimiter;
  /** Whether the first line is Excel's `sep=;`, with the header below it. */
  sepLine: boolean;
  lineBreak: '\r\n' | '\n' | '\r';
  /** A workbook's sheet. The other fields then describe a CSV made of it. */
  sheet?: string;
};

/** The dialect as a person gives it. Omitted fields are detected from the file. */
export type GivenDialect = {
  encoding?: string | undefined;
  delimiter?: Delimiter | undefined;
  /** A workbook's sheet; default: the first visible one. */
  sheet?: string | undefined;
  /** The header's line, from 1; default: detected among the first lines. */
  headerLine?: number | undefined;
};

/** The delimiters that are read, in order of preference for files that fit several. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** A plain CSV (RFC 4180); also the dialect of an empty file. */
export const PLAIN_DIALECT: Dialect = {
  encoding: 'utf-8',
  bom: false,
  delimiter: ',',
  sepLine: false,
  lineBreak: '\r\n',
};

/**
 * The canonical name of an encoding: `sjis` is `shift_jis`; `latin1` is `windows-1252`, as in browsers; `ibm850` is
 * `cp850`, a DOS code page that browsers do not support.
 *
 * @throws LimitlineError `USAGE` when there is no such encoding.
 */
export function encodingNamed(label: string): string {
  const page = codePageNamed(label);
  if (page) return page;
  const number = WINDOWS_PAGE.exec(label.trim())?.[1] ?? '';
  try {
    return new TextDecoder(WINDOWS_PAGES[number] ?? (number.startsWith('125') ? `cp${number}` : label)).encoding;
  } catch (error) {
    const message = `There is no encoding "${label}": write one such as utf-8, windows-1252, windows-1250, macintosh, cp850, shift_jis or gb18030.`;
    throw new LimitlineError('USAGE', message, { cause: error });
  }
}

/** The number of a code page of Windows, with which many programs name an encoding. */
const WINDOWS_PAGE = /^(?:cp|ms|windows)?-?(125\d|932|936|949|950|65001)$/i;

/** Those whose names browsers do not know. */
const WINDOWS_PAGES: Record<string, string> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  65001: 'utf-8',
};

/**
 * The delimiter for its character or name.
 *
 * @throws LimitlineError `USAGE` when it is not supported.
 */
export function delimiterNamed(given: string): Delimiter {
  const sign = DELIMITER_NAMES[given.toLowerCase()] ?? given;
  const found = DELIMITERS.find((one) => one === sign);
  if (found) return found;
  const message = `There is no delimiter "${given}": write comma, semicolon, tab or pipe, or leave it out.`;
  throw new LimitlineError('USAGE', message);
}

/** Describes a dialect: `UTF-8 with a byte order mark, separated by semicolons, lines end in CRLF`. */
export function dialectWords({ encoding, bom, delimiter, lineBreak, sheet }: Dialect): string {
  if (sheet !== undefined) return `sheet "${sheet}" of an Excel workbook`;
  const mark = bom ? ' with a byte order mark' : '';
  return `${encoding.toUpperCase()}${mark}, separated by ${delimiterWord(delimiter)}s, lines end in ${BREAK_NAMES[lineBreak]}`;
}

/** The delimiter's name: `semicolon`. */
export function delimiterWord(delimiter: Delimiter): string {
  return Object.entries(DELIMITER_NAMES).find(([, sign]) => sign === delimiter)?.[0] ?? delimiter;
}

const DELIMITER_NAMES: Record<string, Delimiter> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' };

const BREAK_NAMES: Record<Dialect['lineBreak'], string> = { '\r\n': 'CRLF', '\n': 'LF', '\r': 'CR' };
