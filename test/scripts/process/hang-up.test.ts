import { expect, test } from 'vitest';
import { ignoresHangUp, isNohup } from '../../../scripts/process/hang-up.ts';

test.each([
  ['/usr/bin/nohup', true],
  ['nohup', true],
  ['/usr/bin/node', false],
  ['./my-nohup', false],
  ['', false],
])('whether "%s" is nohup: %s', (command, is) => {
  expect(isNohup(command)).toBe(is);
});

test.each([
  ['0000000000000001', true],
  ['0000000000001001', true],
  ['0000000001001000', false],
  ['0000000000000000', false],
])('whether a mask of %s ignores SIGHUP: %s', (mask, does) => {
  expect(ignoresHangUp(`Name:\tsh\nSigBlk:\t0000000000000001\nSigIgn:\t${mask}\nSigCgt:\t0000000000000001\n`)).toBe(
    does,
  );
  expect(ignoresHangUp('')).toBe(false);
});
