import { parseXml } from './parse-xml.ts';
import type { SheetEntry, Workbook } from './workbook.ts';

/**
 * Names the sheets with content that are not read, if no sheet was chosen: they may have buyers as well. Empty if there
 * are none.
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

/** As many as a person reads through in one message. */
const MAX_LOOKED_AT = 20;

/** A megabyte or more, unpacked. A filled cell usually comes much earlier; formatted empty rows may go on endlessly. */
const LOOKED_THROUGH_CHUNKS = 64;

/** Whether a filled cell comes soon. An unreadable sheet counts as having content. */
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
