import { expect, onTestFinished, test, vi } from 'vitest';
import { openBar } from '../../../scripts/terminal/bar.ts';

/** Both streams on one terminal of so many columns; answers what is written, in order. */
function terminal(columns: number) {
  const written: string[] = [];
  for (const stream of [process.stderr, process.stdout]) {
    const write = vi.spyOn(stream, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
    const known = ['isTTY', 'columns'].map((name) => [name, Object.getOwnPropertyDescriptor(stream, name)] as const);
    Object.defineProperty(stream, 'isTTY', { value: true, configurable: true });
    onTestFinished(() => {
      write.mockRestore();
      for (const [name, own] of known) {
        if (own) Object.defineProperty(stream, name, own);
        else Reflect.deleteProperty(stream, name);
      }
    });
  }
  const resize = (to: number) => Object.defineProperty(process.stderr, 'columns', { value: to, configurable: true });
  resize(columns);
  return { written, resize };
}

test('the bar is gone before anything else is written, on whichever stream and by whomever', () => {
  const { written } = terminal(80);
  const bar = openBar();
  bar.draw('half');
  process.stdout.write('line 7: bad\n');
  process.stderr.write('limitline: a log\n');
  bar.draw('more');
  bar.end();
  process.stdout.write('the report\n');
  expect(written).toEqual([
    '\r\x1b[2Khalf',
    '\r\x1b[J',
    'line 7: bad\n',
    'limitline: a log\n',
    '\r\x1b[2Kmore',
    '\r\x1b[J',
    'the report\n',
  ]);
});

test('the bar is never wider than the terminal, and is found again when that becomes narrower', () => {
  const { written, resize } = terminal(20);
  const bar = openBar();
  bar.draw('x'.repeat(50));
  expect(written.pop()).toBe(`\r\x1b[2K${'x'.repeat(19)}`);
  resize(8);
  process.stderr.write('said\n');
  expect(written).toEqual(['\r\x1b[1A\x1b[1A\x1b[J', 'said\n']);
  resize(0);
  bar.draw('x'.repeat(100));
  expect(written.at(-1)).toBe(`\r\x1b[2K${'x'.repeat(79)}`);
  bar.end();
});
