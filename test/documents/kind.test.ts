import { expect, test } from 'vitest';
import { programProblem, readMediaType } from '../../src/documents/kind.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const PDF = '%PDF-1.4\n%\u00e2\u00e3\n';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
/** The end record of a ZIP file without entries is enough. */
const ZIP = Buffer.from(`504b0304${'00'.repeat(26)}504b0506${'00'.repeat(18)}`, 'hex');
/** The beginning of a Windows program. */
const WINDOWS = Buffer.from('4d5a90000300000004000000ffff0000', 'hex');
const COMPOUND = Buffer.from(`d0cf11e0a1b11ae1${'00'.repeat(504)}`, 'hex');

async function kindOf(name: string, content: string | Uint8Array) {
  const { write } = await makeTemporaryFolder();
  return readMediaType({ name, path: await write(name, content) });
}

test.each<[string, string | Uint8Array, string]>([
  ['a.pdf', PDF, 'application/pdf'],
  ['A.PDF', PDF, 'application/pdf'],
  ['no-ending', PDF, 'application/pdf'],
  ['mailed.pdf', `\r\n${'x'.repeat(500)}${PDF}`, 'application/pdf'],
  ['misnamed.txt', PDF, 'application/pdf'],
  ['a.png', PNG, 'image/png'],
  ['a.unknown', PNG, 'image/png'],
  ['a.zip', ZIP, 'application/zip'],
  ['a.docx', ZIP, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['a.xls', COMPOUND, 'application/vnd.ms-excel'],
  ['a.csv', 'asset,amount\ncash,1\n', 'text/csv'],
  ['a.json', '{"cash": 1}', 'application/json'],
  ['a.xml', '<?xml version="1.0"?><a/>', 'application/xml'],
  ['a.txt', 'Bilanz für 2025', 'text/plain'],
  ['a.unknown', 'Bilanz für 2025', 'text/plain'],
  ['README', 'Bilanz für 2025', 'text/plain'],
  // Endings that are property names of JavaScript objects.
  ['a.constructor', PDF, 'application/pdf'],
  ['a.constructor', 'Bilanz für 2025', 'text/plain'],
  ['a.__proto__', 'Bilanz für 2025', 'text/plain'],
  ['a.toString', PNG, 'image/png'],
  // The first two letters are the signature of a bitmap.
  ['bmw.txt', 'BMW AG, annual statements of 2025, as audited and published', 'text/plain'],
  // These letters are the signature of a Windows program.
  ['mz.txt', 'MZ Maschinen GmbH, Bilanz zum 31.12.2025', 'text/plain'],
  // A character of three bytes crosses the end of the bytes that are read.
  ['long.txt', `a${'€'.repeat(40_000)}`, 'text/plain'],
])('the media type of %s is %3$s', async (name, content, mediaType) => {
  expect(await kindOf(name, content)).toEqual({ mediaType });
});

// Promise: no-program-as-document
test.each<[string, string | Uint8Array, string]>([
  ['a.exe', WINDOWS, 'a.exe is a program (its name ends in .exe), and programs are not sent'],
  ['balance.pdf', WINDOWS, 'a program for Windows'],
  ['balance', WINDOWS, 'a program for Windows'],
  ['balance.docx', Buffer.from('7f454c4602010100', 'hex'), 'a program for Linux'],
  ['a.xyz', Buffer.from('cffaedfe07000001', 'hex'), 'a program for macOS'],
  ['notes.txt', '#!/bin/sh\nrm -rf ~\n', 'its content begins with #!'],
  ['balance.pdf.js', 'WScript.Echo(1)', 'ends in .js'],
  ['A.BAT', '@echo off', 'ends in .bat'],
  ['setup.msi', COMPOUND, 'ends in .msi'],
  ['balance.jar', ZIP, 'ends in .jar'],
  ['balance.scr', PDF, 'ends in .scr'],
])('%s is refused as a program', async (name, content, message) => {
  expect(await kindOf(name, content)).toEqual({ problem: expect.stringContaining(message) });
});

test.each<[string, string | Uint8Array, string]>([
  ['a.pdf', 'Bilanz', 'ends in .pdf but its content is something else: save'],
  ['a.pdf', PNG, 'ends in .pdf but its content is something else (it is image/png)'],
  ['a.pdf', `${'x'.repeat(2000)}${PDF}`, 'ends in .pdf'],
  ['a.png', PDF, 'ends in .png but its content is something else (it is application/pdf)'],
  ['a.docx', COMPOUND, 'ends in .docx'],
  ['a.txt', Buffer.from('Bilanz f\u00fcr', 'latin1'), 'It is not clear what kind of file'],
  ['a.bin', Buffer.of(0x41, 0, 0x42), 'It is not clear what kind of file'],
  ['a.constructor', Buffer.of(0x41, 0, 0x42), 'It is not clear what kind of file'],
])('%s is refused', async (name, content, message) => {
  expect(await kindOf(name, content)).toEqual({ problem: expect.stringContaining(message) });
});

const look = (name: string, { start = '', isText = false, signature = null as string | null } = {}) =>
  programProblem({ name, start: Buffer.from(start), isText, signature });

test.each(['a.EXE', 'a.msi', 'a.ps1', 'a.lnk', 'a.jar', 'a.AppImage', 'a.sh', 'a.py', 'a.dmg'])(
  '%s is a program by its ending, whatever its content',
  (name) => {
    expect(look(name, { start: '%PDF-1.4', signature: 'application/pdf' })).toContain(
      'is a program (its name ends in .',
    );
  },
);

test('a file is a program by its signature, unless it is text that only begins like one', () => {
  const signature = 'application/x-msdownload';
  expect(look('balance.pdf', { signature })).toBe(
    'balance.pdf is a program (its content is a program for Windows), and programs are not sent: give the document itself, as PDF.',
  );
  expect(look('mz.txt', { signature, isText: true })).toBeNull();
});

test('a text that begins with #! is a program', () => {
  expect(look('notes', { start: '#!/bin/sh', isText: true })).toContain('its content begins with #!');
  expect(look('notes', { start: '# Notes', isText: true })).toBeNull();
});

test.each(['a.docm', 'a.xlsm', 'a.pdf', 'exe', 'a.exe.pdf', ''])('%j is not a program by its name', (name) => {
  expect(look(name)).toBeNull();
});
