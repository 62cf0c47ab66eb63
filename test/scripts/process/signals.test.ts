import { expect, test } from 'vitest';
import { type EndSignal, ignoresHangUp, isNohup, makeSignalRule } from '../../../scripts/process/long-running.ts';

/** Signals by the ms at which they come, and what the last of them asks for. */
// Promises: calls-awaited-at-a-stop, several-signals-are-one
test.each<[string, [EndSignal, number][], string]>([
  ['a first Ctrl-C ends in good order', [['SIGINT', 0]], 'end'],
  ['so does a closed terminal', [['SIGHUP', 0]], 'end'],
  [
    'npm and the shell both pass a Ctrl-C on',
    [
      ['SIGINT', 0],
      ['SIGINT', 3],
    ],
    'nothing new',
  ],
  [
    'a nervous finger',
    [
      ['SIGINT', 0],
      ['SIGINT', 400],
      ['SIGINT', 1_999],
    ],
    'nothing new',
  ],
  [
    'a deliberate second Ctrl-C',
    [
      ['SIGINT', 0],
      ['SIGINT', 2_000],
    ],
    'end at once',
  ],
  [
    '… also after one that was passed on twice',
    [
      ['SIGINT', 0],
      ['SIGINT', 3],
      ['SIGINT', 2_000],
    ],
    'end at once',
  ],
  [
    'a deliberate second SIGTERM',
    [
      ['SIGTERM', 0],
      ['SIGTERM', 60_000],
    ],
    'end at once',
  ],
  [
    'one of another kind is no second one',
    [
      ['SIGTERM', 0],
      ['SIGINT', 5_000],
    ],
    'nothing new',
  ],
  [
    '… and its own second one is',
    [
      ['SIGTERM', 0],
      ['SIGINT', 5_000],
      ['SIGINT', 7_000],
    ],
    'end at once',
  ],
  [
    'a terminal may hang up again and again',
    [
      ['SIGHUP', 0],
      ['SIGHUP', 10],
      ['SIGHUP', 9_000],
    ],
    'nothing new',
  ],
  [
    '… and whatever closed it may end us too',
    [
      ['SIGHUP', 0],
      ['SIGTERM', 5_000],
    ],
    'nothing new',
  ],
])('of several signals: %s', (_title, signals, effect) => {
  const effectOf = makeSignalRule();
  expect(signals.map(([name, atMs]) => effectOf(name, atMs)).at(-1)).toBe(effect);
});

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
