import { expect, test } from 'vitest';
import { type EndSignal, ignoresHangUp, isNohup, makeSignalRule } from '../../../scripts/process/long-running.ts';

/** Signals with the ms at which they come, and the effect of the last one. */
// Promises: calls-awaited-at-a-stop, several-signals-are-one
test.each<[string, [EndSignal, number][], string]>([
  ['a first Ctrl-C ends in good order', [['SIGINT', 0]], 'end'],
  ['a closed terminal ends in good order', [['SIGHUP', 0]], 'end'],
  [
    'a Ctrl-C that npm and the shell both pass on',
    [
      ['SIGINT', 0],
      ['SIGINT', 3],
    ],
    'nothing new',
  ],
  [
    'repeated Ctrl-C within two seconds',
    [
      ['SIGINT', 0],
      ['SIGINT', 400],
      ['SIGINT', 1_999],
    ],
    'nothing new',
  ],
  [
    'a second Ctrl-C after two seconds',
    [
      ['SIGINT', 0],
      ['SIGINT', 2_000],
    ],
    'end at once',
  ],
  [
    'a second Ctrl-C after one that was passed on twice',
    [
      ['SIGINT', 0],
      ['SIGINT', 3],
      ['SIGINT', 2_000],
    ],
    'end at once',
  ],
  [
    'a second SIGTERM',
    [
      ['SIGTERM', 0],
      ['SIGTERM', 60_000],
    ],
    'end at once',
  ],
  [
    'a signal of another kind is no second one',
    [
      ['SIGTERM', 0],
      ['SIGINT', 5_000],
    ],
    'nothing new',
  ],
  [
    'a second signal of the other kind',
    [
      ['SIGTERM', 0],
      ['SIGINT', 5_000],
      ['SIGINT', 7_000],
    ],
    'end at once',
  ],
  [
    'repeated SIGHUP of a terminal',
    [
      ['SIGHUP', 0],
      ['SIGHUP', 10],
      ['SIGHUP', 9_000],
    ],
    'nothing new',
  ],
  [
    'a SIGTERM after a SIGHUP',
    [
      ['SIGHUP', 0],
      ['SIGTERM', 5_000],
    ],
    'nothing new',
  ],
])('the last of several signals has the right effect: %s', (_title, signals, effect) => {
  const effectOf = makeSignalRule();
  expect(signals.map(([name, atMs]) => effectOf(name, atMs)).at(-1)).toBe(effect);
});

test.each([
  ['/usr/bin/nohup', true],
  ['nohup', true],
  ['/usr/bin/node', false],
  ['./my-nohup', false],
  ['', false],
])('the command "%s" counts as nohup: %s', (command, is) => {
  expect(isNohup(command)).toBe(is);
});

test.each([
  ['0000000000000001', true],
  ['0000000000001001', true],
  ['0000000001001000', false],
  ['0000000000000000', false],
])('the signal mask %s ignores SIGHUP: %s', (mask, does) => {
  expect(ignoresHangUp(`Name:\tsh\nSigBlk:\t0000000000000001\nSigIgn:\t${mask}\nSigCgt:\t0000000000000001\n`)).toBe(
    does,
  );
  expect(ignoresHangUp('')).toBe(false);
});
