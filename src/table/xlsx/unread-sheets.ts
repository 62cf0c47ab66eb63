import { parseXml } from './parse-xml.ts';
import type { SheetEntry, Workbook } from './workbook.ts';

/**
 * Says which sheets have something in them and are not read, where nobody said which sheet is meant: buyers may be there
 * as well. Nothing where there are none.
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
  const have = last === undefined ? 'which has content as well' : 'which have content as well';
  return [`The sheet "${read.name}" is read, but not ${names}, ${have}: --sheet NAME reads another one.`];
}

/** As many as a person looks through in one line. */
const MAX_LOOKED_AT = 20;

/** A megabyte or more, unpacked. The first filled cell comes long before; rows that only have a format may go on for ever. */
const LOOKED_THROUGH_CHUNKS = 64;

/** Whether a cell with something in it is met soon. A sheet that cannot be read has content, as far as we can tell. */
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
