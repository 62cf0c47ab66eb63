import { counted, sizeWords } from '../../../counted.ts';
import type { PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import type { Preview } from '../../../portfolio/preview.ts';

/** `50 s`, `4 min`, `2.0 h`: as exactly as anybody needs to know how long something takes. */
export function durationWords(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

/** What a file's delimiters are called. */
export const DELIMITER_WORDS: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'pipe',
};

/** How the file is written, in words: `UTF-8, separated by commas`. */
export function dialectWords({ dialect }: Pick<Preview, 'dialect'>): string {
  if (dialect.sheet !== undefined) return `sheet “${dialect.sheet}” of an Excel workbook`;
  const mark = dialect.bom ? ' with a byte order mark' : '';
  return `${dialect.encoding.toUpperCase()}${mark}, separated by ${DELIMITER_WORDS[dialect.delimiter] ?? 'commas'}s`;
}

/** The file, its documents and its versions in a sentence. */
export function draftWords({ versions, documents, isArchive }: PortfolioDraft): string {
  const last = versions.at(-1);
  const mended = versions.reduce((sum, version) => sum + version.mended, 0);
  const parts = [sizeWords(last?.sizeBytes ?? 0)];
  const sizes = documents.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (isArchive) parts.push(`documents in a ZIP file of ${sizeWords(sizes)}`);
  else if (documents.length > 0) parts.push(`${counted(documents.length, 'document')} of ${sizeWords(sizes)}`);
  if (mended > 0)
    parts.push(`version ${last?.number}: ${counted(mended, 'cell')} mended, the uploaded file is kept as it came`);
  return parts.join(' · ');
}
