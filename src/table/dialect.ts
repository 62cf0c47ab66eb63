import { LimitlineError } from '../errors.ts';
import { codePageNamed } from './encodings/code-pages.ts';

/** How a file's table is written down: its bytes, its cells and its lines. */
export type Dialect = {
  /** The WHATWG name of the encoding (Encoding Standard, section 4.2), such as `utf-8` or `windows-1252`. */
  encoding: string;
  /** Whether the file begins with a byte order mark. */
  bom: boolean;
  delimiter: Delimiter;
  /** Whether the first line is Excel's `sep=;`, and the header is below it. */
  sepLine: boolean;
  lineBreak: '\r\n' | '\n' | '\r';
  /** The sheet of a workbook; the rest then says how a CSV of it is written. */
  sheet?: string;
};

/** What a person says of a file's dialect; what is left out is found from the file. */
export type GivenDialect = {
  encoding?: string | undefined;
  delimiter?: Delimiter | undefined;
  /** Which sheet of a workbook; the first if it is left out. */
  sheet?: string | undefined;
  /** On which line the header is, from 1; looked for within the first lines if it is left out. */
  headerLine?: number | undefined;
};

/** In the order in which they are preferred where the file would fit several. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** A plain CSV (RFC 4180): what a table without any line is taken for. */
export const PLAIN_DIALECT: Dialect = {
  encoding: 'utf-8',
  bom: false,
  delimiter: ',',
  sepLine: false,
  lineBreak: '\r\n',
};

/**
 * The encoding's one name by any of its labels: `sjis` is `shift_jis`, `latin1` is `windows-1252` as in browsers, `ibm850` is
 * `cp850`, one of the code pages of DOS that browsers do not read.
 *
 * @throws LimitlineError `USAGE` when there is no such encoding.
 */
export function encodingNamed(label: string): string {
  const page = codePageNamed(label);
  if (page) return page;
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    const message = `There is no encoding "${label}": write one such as utf-8, windows-1252, windows-1250, macintosh, cp850, shift_jis or gb18030.`;
    throw new LimitlineError('USAGE', message, { cause: error });
  }
}

/**
 * The delimiter by its sign or its name.
 *
 * @throws LimitlineError `USAGE` when it is none that is read.
 */
export function delimiterNamed(given: string): Delimiter {
  const sign = DELIMITER_NAMES[given.toLowerCase()] ?? given;
  const found = DELIMITERS.find((one) => one === sign);
  if (found) return found;
  throw new LimitlineError(
    'USAGE',
    `There is no delimiter "${given}": write comma, semicolon, tab or pipe, or leave it out.`,
  );
}

/** `UTF-8 with a byte order mark, separated by semicolons, lines end in CRLF`. */
export function dialectWords({ encoding, bom, delimiter, lineBreak, sheet }: Dialect): string {
  if (sheet !== undefined) return `sheet "${sheet}" of an Excel workbook`;
  const mark = bom ? ' with a byte order mark' : '';
  return `${encoding.toUpperCase()}${mark}, separated by ${delimiterWord(delimiter)}s, lines end in ${BREAK_NAMES[lineBreak]}`;
}

/** What people call the delimiter: `semicolon`. */
export function delimiterWord(delimiter: Delimiter): string {
  return Object.entries(DELIMITER_NAMES).find(([, sign]) => sign === delimiter)?.[0] ?? delimiter;
}

const DELIMITER_NAMES: Record<string, Delimiter> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' };

const BREAK_NAMES: Record<Dialect['lineBreak'], string> = { '\r\n': 'CRLF', '\n': 'LF', '\r': 'CR' };
