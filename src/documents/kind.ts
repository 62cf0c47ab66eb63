import { isUtf8 } from 'node:buffer';
import { extname } from 'node:path';
import { readBytes, wholeCharacters } from '../files/text.ts';

/**
 * The media type of a file by its content: by its signature, or by its ending if the content is UTF-8 text. Content that contradicts the
 * ending is a problem, because the assessor could not open the file. A program is a problem whatever its ending is.
 *
 * @throws the file system's error when the file cannot be read.
 */
export async function readMediaType(file: {
  name: string;
  path: string;
}): Promise<{ mediaType: string } | { problem: string }> {
  const ending = extname(file.name).slice(1).toLowerCase();
  const start = await readBytes(file.path, 0, START_BYTES);
  const signature = await signatureOf({ path: file.path, ending, start });
  const isText = !start.includes(0) && isUtf8(wholeCharacters(start));
  const problem = programProblem({ name: file.name, start, isText, signature });
  if (problem) return { problem };
  const said = SIGNED.get(ending);
  if (said) {
    if (signature && said.signatures.includes(signature)) return { mediaType: said.mediaType };
    const found = signature ? ` (it is ${signature})` : '';
    return {
      problem: `${file.name} ends in .${ending} but its content is something else${found}: save the document again.`,
    };
  }
  const named = TEXT.get(ending);
  // The signature of a text is not believed, since some have only two letters: "BM" starts a bitmap, but also a text about BMW.
  if (named && isText && signature !== PDF) return { mediaType: named };
  if (signature) return { mediaType: signature };
  if (isText) return { mediaType: 'text/plain' };
  return { problem: `It is not clear what kind of file ${file.name} is: save the document as PDF.` };
}

/**
 * Why a document is refused as a program, by its content or its ending; otherwise null. The assessor of a buyer opens documents, so nothing
 * that runs is sent.
 *
 * Office files with macros are allowed: workbooks of financial statements often contain some, and they open as documents.
 *
 * @param signature file-type's name for the content, or null. For a text it may be a guess from two letters.
 */
export function programProblem(file: {
  name: string;
  start: Buffer;
  isText: boolean;
  signature: string | null;
}): string | null {
  const { name, start, isText, signature } = file;
  const ending = extname(name).slice(1).toLowerCase();
  const runs =
    (ENDINGS.has(ending) && `its name ends in .${ending}`) ||
    (start.subarray(0, SHEBANG.length).equals(SHEBANG) && 'its content begins with #!') ||
    (!isText && signature !== null && SIGNATURES.get(signature));
  return runs ? `${name} is a program (${runs}), and programs are not sent: give the document itself, as PDF.` : null;
}

/** Readers of PDF accept the header within these bytes (ISO 32000-1, annex H.3.4.1), after text of mail gateways. */
const PDF_HEADER_WITHIN = 1024;

/** Bytes read at the beginning of a file: enough to tell text from other content. Large documents are never held in memory. */
const START_BYTES = 64 * 1024;

const PDF = 'application/pdf';
const ZIP = 'application/zip';
const COMPOUND = 'application/x-cfb';
const OFFICE = 'application/vnd.openxmlformats-officedocument';

/**
 * Endings of files that have a signature, each with file-type's names for its content. file-type may recognize an office file only as its
 * container (ZIP or CFB).
 */
const SIGNED = new Map(
  Object.entries({
    pdf: signed(PDF),
    png: signed('image/png'),
    jpg: signed('image/jpeg'),
    jpeg: signed('image/jpeg'),
    tif: signed('image/tiff'),
    tiff: signed('image/tiff'),
    zip: signed(ZIP),
    docx: signed(`${OFFICE}.wordprocessingml.document`, ZIP),
    xlsx: signed(`${OFFICE}.spreadsheetml.sheet`, ZIP),
    doc: signed('application/msword', COMPOUND),
    xls: signed('application/vnd.ms-excel', COMPOUND),
  }),
);

/** Endings of text files, each with the media type that is sent for it. */
const TEXT = new Map(
  Object.entries({
    csv: 'text/csv',
    htm: 'text/html',
    html: 'text/html',
    json: 'application/json',
    md: 'text/markdown',
    txt: 'text/plain',
    xhtml: 'application/xhtml+xml',
    xml: 'application/xml',
  }),
);

function signed(mediaType: string, ...containers: string[]): { mediaType: string; signatures: string[] } {
  return { mediaType, signatures: [mediaType, ...containers] };
}

async function signatureOf(file: { path: string; ending: string; start: Buffer }): Promise<string | null> {
  const { path, ending, start } = file;
  if (ending === 'pdf' && start.subarray(0, PDF_HEADER_WITHIN).includes('%PDF-')) return PDF;
  // Loaded only when needed: most documents are PDFs, and most commands have no documents.
  const { fileTypeFromBuffer, fileTypeFromFile } = await import('file-type');
  const found = await fileTypeFromBuffer(start);
  // A ZIP container shows its kind by content anywhere in the file, so the whole file is searched.
  const whole = found?.mime === ZIP && start.length === START_BYTES ? await fileTypeFromFile(path) : found;
  return whole?.mime ?? null;
}

const SHEBANG = Buffer.from('#!');

/** Signatures of programs for Windows, macOS and Linux, by file-type's names, with the words for a message. */
const SIGNATURES = new Map([
  ['application/x-msdownload', 'its content is a program for Windows'],
  ['application/x-elf', 'its content is a program for Linux'],
  ['application/x-mach-binary', 'its content is a program for macOS'],
  ['application/java-vm', 'its content is a program in Java'],
  ['application/java-archive', 'its content is a program in Java'],
  ['application/wasm', 'its content is a program'],
  ['application/x-rpm', 'its content installs programs'],
  ['application/x-deb', 'its content installs programs'],
  ['application/vnd.android.package-archive', 'its content is a program for Android'],
  ['application/x-ms-shortcut', 'its content starts a program'],
  ['application/x-apple-diskimage', 'its content installs programs'],
]);

/** Endings that mail programs block as well ("Blocked attachments in Outlook"), if they run or install something. */
const ENDINGS_BY_KIND: Record<string, readonly string[]> = {
  windowsProgram: [
    'exe',
    'com',
    'bat',
    'cmd',
    'scr',
    'pif',
    'dll',
    'sys',
    'cpl',
    'ocx',
    'drv',
    'gadget',
    'application',
  ],
  windowsInstaller: ['msi', 'msp', 'mst', 'msix', 'appx', 'msc'],
  windowsScript: ['js', 'jse', 'mjs', 'vb', 'vbs', 'vbe', 'wsf', 'wsh', 'wsc', 'sct', 'hta', 'ps1', 'psm1', 'psd1'],
  windowsShortcutOrSetting: ['lnk', 'reg', 'inf', 'chm', 'scf', 'url', 'library-ms', 'settingcontent-ms', 'xll'],
  javaProgram: ['jar', 'jnlp', 'class', 'war'],
  unixProgram: ['run', 'elf', 'app', 'appimage', 'wasm', 'so', 'dylib'],
  unixScript: ['sh', 'bash', 'zsh', 'csh', 'ksh', 'command'],
  languageScript: ['py', 'pyc', 'pl', 'rb', 'php'],
  otherInstaller: ['apk', 'ipa', 'deb', 'rpm', 'dmg', 'pkg'],
};
const ENDINGS = new Set(Object.values(ENDINGS_BY_KIND).flat());
