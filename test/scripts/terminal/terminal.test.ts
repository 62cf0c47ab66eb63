import { Writable } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { makeTerminal } from '../../../scripts/terminal/terminal.ts';

afterEach(() => void vi.restoreAllMocks());

test('control characters and marks of the reading direction are escaped on a terminal, and kept in JSON', () => {
  let written = '';
  const write = (text: string | Uint8Array): boolean => {
    written += text;
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  const raw = 'no\u202Etimil\u2066 \u200F\u061C\x1b[2J\x9b\r\ta';
  const terminal = makeTerminal({ json: false });
  terminal.print(raw, {});
  terminal.answer(raw);
  terminal.say(raw);
  expect(written.replaceAll('\r\x1b[2K', '')).toBe(
    'no\\u202etimil\\u2066 \\u200f\\u061c\\u001b[2J\\u009b\\u000d\ta\n'.repeat(3),
  );
  written = '';
  makeTerminal({ json: true }).print('', { raw });
  expect(written).toContain('\\u202e');
  expect(JSON.parse(written)).toEqual({ raw });
});

test('room waits until a slow reader has read the output, and not for a reader that is gone', async () => {
  const taken: (() => void)[] = [];
  const slow = new Writable({ highWaterMark: 1, write: (_text, _encoding, done) => void taken.push(done) });
  vi.spyOn(process, 'stdout', 'get').mockReturnValue(slow as unknown as typeof process.stdout);
  const terminal = makeTerminal({ json: false });
  await terminal.room();
  terminal.answer('line 2: bad');
  const room = terminal.room().then(() => 'room');
  expect(await Promise.race([room, Promise.resolve('none')])).toBe('none');
  taken[0]?.();
  expect(await room).toBe('room');
  terminal.answer('line 3: bad');
  const lost = terminal.room();
  slow.destroy(Object.assign(new Error('nobody reads'), { code: 'EPIPE' }));
  await lost;
  await terminal.room();
});
