import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { bundled } from '../../support/bundle.ts';
import { COMPILED } from '../../support/command.ts';

async function bench(args: string[]) {
  const dir = mkdtempSync(join(tmpdir(), 'pace-bench-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const child = spawn(process.execPath, [bundled('bench-pace'), ...args], {
    env: { PATH: process.env.PATH, TMPDIR: dir, ...COMPILED },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, said, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { printed, said, status, left: readdirSync(dir).filter((name) => name.startsWith('limitline')) };
}

test('a bench of the pace in small measures ours and the peers, twice where the limit is high', async () => {
  const { printed, said, status, left } = await bench(['--rows', '20', '--limit', '500', '--headers', 'none']);
  expect(said).not.toContain('bench:');
  expect(status).toBe(0);
  const [header = '', , ...lines] = printed.split('\n').filter((line) => line.startsWith('|'));
  expect(header).toMatch(/Limitline \|.*4 processes \|.*script in memory \|.*textbook BullMQ \|/);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^\| 500 calls\/s, none +(\| +\d+\.\d\d, \d+\.\d\d % ){4}\|$/);
  expect(lines[1]).toMatch(/next portfolio +(\| +\d+\.\d\d, \d+\.\d\d % ){2}(\| +– ){2}\|$/);
  expect(left).toEqual([]);
});

test.each([['--rows 0'], ['--limit 7'], ['--headers some'], ['--unknown']])('%s is refused', async (words) => {
  const { said, status } = await bench(words.split(' '));
  expect(status).toBe(1);
  expect(said).toContain('no such option or value');
});
