import { Readable, type Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Entry } from 'yauzl';
import { ZipFile } from 'yazl';
import { LimitlineError, messageOf } from '../../errors.ts';
import { openZip, type Zip } from '../../files/zip.ts';
import { openWorkbook, ZIP_LIMITS } from '../xlsx/workbook.ts';
import type { RecordMend } from './mend-text.ts';
import { mendSheetXml, type SheetMends } from './sheet-xml.ts';

/** The order of Excel's calculations. It may name cells that lose their formulas, and Excel rebuilds it. */
const CHAIN = 'xl/calcChain.xml';
const NAMES_CHAIN = ['[Content_Types].xml', 'xl/_rels/workbook.xml.rels'];
const CHAIN_ENTRY = /<(?:[\w.-]+:)?(?:Override|Relationship)\b[^>]*calcChain\.xml"[^>]*\/>/g;

/**
 * Copies a workbook with new texts in some cells of a sheet. All else stays. Text that looks like a formula stays text.
 *
 * @throws LimitlineError `FILE` when the workbook is unreadable or the copy fails; `USAGE` for a row broken as a whole
 */
export async function mendSheet(
  { path, sheet, to }: { path: string; sheet: string; to: Writable },
  mends: readonly RecordMend[],
): Promise<void> {
  const wanted: SheetMends = new Map(mends.map((mend) => [mend.line, cellsOf(mend)]));
  const part = await partOf(path, sheet);
  const zip = await openZip(path, ZIP_LIMITS);
  const book = new ZipFile();
  try {
    for await (const entry of zip.entries()) {
      const { fileName } = entry;
      if (fileName === CHAIN || fileName.endsWith('/')) continue;
      const content = () => contentOf(entry, { zip, part, wanted });
      book.addReadStreamLazy(fileName, { mtime: entry.getLastModDate() }, (done) => {
        content().then(
          // A read error must end the output as well; otherwise it would wait forever.
          (stream) =>
            done(
              null,
              stream.once('error', (error) => (book.outputStream as Readable).destroy(error)),
            ),
          (error: unknown) => (book.outputStream as Readable).destroy(error as Error),
        );
      });
    }
    book.end();
    await pipeline(book.outputStream, to);
  } catch (error) {
    if (error instanceof LimitlineError) throw error;
    throw new LimitlineError('FILE', `The workbook cannot be written: ${messageOf(error)}.`, { cause: error });
  } finally {
    zip.close();
  }
}

function cellsOf(mend: RecordMend): ReadonlyMap<number, string> {
  if ('cells' in mend) return mend.cells;
  const message = `Row ${mend.line} of the sheet is broken as a whole: correct it in Excel, and upload the workbook again.`;
  throw new LimitlineError('USAGE', message);
}

async function partOf(path: string, name: string): Promise<string> {
  const book = await openWorkbook({ path, vocabulary: { saysThousands: () => false } });
  const sheet = typeof book === 'string' ? undefined : book?.sheets.find((one) => one.name === name);
  if (book && typeof book !== 'string') book.close();
  if (sheet) return sheet.path;
  throw new LimitlineError('FILE', `The workbook has no sheet "${name}".`);
}

async function contentOf(
  entry: Entry,
  { zip, part, wanted }: { zip: Zip; part: string; wanted: SheetMends },
): Promise<Readable> {
  const stream = await zip.read(entry);
  if (entry.fileName === part) return Readable.from(mendSheetXml(stream, wanted));
  if (!NAMES_CHAIN.includes(entry.fileName)) return stream;
  return Readable.from([(await textOf(stream)).replace(CHAIN_ENTRY, '')]);
}
