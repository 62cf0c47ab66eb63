import { extname } from 'node:path';

/**
 * Why a document is refused as a program, by its content or its ending; otherwise null. The assessor of a buyer opens
 * documents, so nothing that runs is sent.
 *
 * Office files with macros are allowed: statements have them, and they open as documents.
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

const SHEBANG = Buffer.from('#!');

/** Programs of Windows, macOS and Linux, by file-type's names. */
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
