import { expect, test } from 'vitest';
import { programProblem } from '../../src/documents/programs.ts';

const look = (name: string, { start = '', isText = false, signature = null as string | null } = {}) =>
  programProblem({ name, start: Buffer.from(start), isText, signature });

test.each(['a.EXE', 'a.msi', 'a.ps1', 'a.lnk', 'a.jar', 'a.AppImage', 'a.sh', 'a.py', 'a.dmg'])(
  '%s is a program by its ending, whatever is in it',
  (name) => {
    expect(look(name, { start: '%PDF-1.4', signature: 'application/pdf' })).toContain(
      'is a program (its name ends in .',
    );
  },
);

test('a program is refused by its signature, unless it is a text that only begins like one', () => {
  const signature = 'application/x-msdownload';
  expect(look('balance.pdf', { signature })).toBe(
    'balance.pdf is a program (its content is a program for Windows), and programs are not sent: give the document itself, as PDF.',
  );
  expect(look('mz.txt', { signature, isText: true })).toBeNull();
});

test('a text is a program by its first two characters', () => {
  expect(look('notes', { start: '#!/bin/sh', isText: true })).toContain('its content begins with #!');
  expect(look('notes', { start: '# Notes', isText: true })).toBeNull();
});

test.each(['a.docm', 'a.xlsm', 'a.pdf', 'exe', 'a.exe.pdf', ''])('%j is no program by its name', (name) => {
  expect(look(name)).toBeNull();
});
