import { parseXml } from './parse-xml.ts';
import type { SheetEntry, Workbook } from './workbook.ts';

/**
 * If nobody chose a sheet: a sentence that names the other sheets with content, since buyers may be there too. Empty if there are none.
 *
 * @throws LimitlineError `STOPPED`
 */
export async function unreadSheets(book: Workbook, read: SheetEntry, signal?: AbortSignal): Promise<string[]> {
  const others = book.sheets.filter((sheet) => sheet !== read);
  const filled: string[] = [];
  for (const sheet of others.slice(0, MAX_LOOKED_AT)) {
    if (await hasContent(book, sheet, signal)) filled.push(`"${sheet.name}"${sheet.hidden ? ' (hidden)' : ''}`);
  }
  const unseen = others.length - MAX_LOOKED_AT;
  if (unseen > 0) filled.push(`${unseen} more ${unseen === 1 ? 'sheet' : 'sheets'}`);
  const [first] = filled;
  if (first === undefined) return [];
  const last = filled.length > 1 ? filled.pop() : undefined;
  const names = last === undefined ? first : `${filled.join(', ')} and ${last}`;
  const have = last === undefined ? 'although it has content' : 'although they have content';
  return [`The sheet "${read.name}" is read, but not ${names}, ${have}: --sheet NAME reads another one.`];
}

/** As many as a person reads in one line. */
const MAX_LOOKED_AT = 20;

/** A megabyte or more when unpacked. The first filled cell comes much earlier. Rows that only have a format could go on for ever. */
const LOOKED_THROUGH_CHUNKS = 64;

/** Whether a cell with content is found early in the sheet. A sheet that cannot be read counts as having content. */
async function hasContent(book: Workbook, { path }: SheetEntry, signal?: AbortSignal): Promise<boolean> {
  let isText = false;
  let found = false;
  const handler = {
    open(name: string) {
      isText = name === 'v' || name === 't';
    },
    text(text: string) {
      found ||= isText && text.trim() !== '';
    },
    close() {
      isText = false;
    },
  };
  try {
    const stream = await book.open(path);
    let chunks = 0;
    for await (const _ of parseXml(stream, handler, signal)) {
      chunks += 1;
      if (found || chunks > LOOKED_THROUGH_CHUNKS) break;
    }
    return found;
  } catch (error) {
    if (signal?.aborted) throw error;
    return true;
  }
}
