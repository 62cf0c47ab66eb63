import { afterEach, expect, test, vi } from 'vitest';
import { makeTerminal } from '../../../scripts/terminal/terminal.ts';

afterEach(() => void vi.restoreAllMocks());

test('marks of the reading direction reach no terminal raw, and JSON keeps them', () => {
  let written = '';
  const write = (text: string | Uint8Array): boolean => {
    written += text;
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  const raw = 'no\u202Etimil\u2066 \u200F\u061C';
  const terminal = makeTerminal({ json: false });
  terminal.print(raw, {});
  terminal.answer(raw);
  terminal.say(raw);
  expect(written.replaceAll('\r\x1b[2K', '')).toBe('no\\u202etimil\\u2066 \\u200f\\u061c\n'.repeat(3));
  written = '';
  makeTerminal({ json: true }).print('', { raw });
  expect(written).toContain('\\u202e');
  expect(JSON.parse(written)).toEqual({ raw });
});
