import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { PDF, read } from '../support/workbooks.ts';

const ASCII_HEADER = Buffer.from('name,requested_limit\n');

describe('a file that cannot be used', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['empty', '', 'The file is empty'],
    ['blank', '\ufeff\n \r\n\n', 'The file is empty'],
    ['without a needed column', 'name,city\nAcme,Kiel\n', 'The column requested_limit is needed'],
    ['with a column twice', 'name,requested_limit,Name\nA,1,B\n', 'names name twice'],
    ['with a broken header', 'name,"requested_limit\nA,1\n', 'never closed'],
    ['in UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x6e, 0, 0, 0]), 'UTF-32'],
    ['a gzip archive', gzipSync('name,requested_limit\nA,1\n'), 'gzip'],
    ['a PDF document', PDF, 'PDF'],
    [
      'in an undetectable encoding',
      Buffer.from([...ASCII_HEADER, 0x8e, 0x52, 0x8e, 0xe8, 0x8a, 0x94, 0x2c, 0x31]),
      '--encoding',
    ],
  ])('is reported: %s', async (_, content, message) => {
    const { problems, lines } = await read(content);
    expect(problems.map((one) => one.message)).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
    expect(lines).toEqual([]);
  });

  test('is missing or a folder', async () => {
    const { dir } = await makeTemporaryFolder();
    await expect(openPortfolio({ path: join(dir, 'none.csv') })).rejects.toMatchObject({ code: 'FILE' });
    await expect(openPortfolio({ path: dir })).rejects.toMatchObject({ code: 'FILE' });
  });

  // The command line of a process is a file that fails once the process is gone: here it holds a portfolio of many
  // lines.
  test.skipIf(process.platform !== 'linux')('fails in the middle of reading', async () => {
    const lines = 'Acme Works and Trading Company,1000\n'.repeat(3_000);
    const waits = spawn('sh', ['-c', 'read line', ...Array.from({ length: 5 }, () => lines)], {
      argv0: `name,requested_limit\n${lines}`,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const exited = once(waits, 'exit');
    await once(waits, 'spawn');
    const { batches, problems } = await openPortfolio({ path: `/proc/${waits.pid}/cmdline` });
    expect(problems).toEqual([]);
    let count = 0;
    const reading = (async () => {
      for await (const batch of batches()) {
        count += batch.length;
        waits.stdin.end();
        await exited;
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining('cannot be read') });
    expect(count).toBeGreaterThan(0);
  });

  test('is no longer read when the process stops', async () => {
    const { write } = await makeTemporaryFolder();
    const path = await write('a.csv', `name,requested_limit\n${'Acme,1\n'.repeat(50_000)}`);
    const stop = new AbortController();
    const { batches } = await openPortfolio({ path, signal: stop.signal });
    const reading = (async () => {
      for await (const _ of batches()) stop.abort();
    })();
    await expect(reading).rejects.toMatchObject({ code: 'STOPPED' });
  });
});

describe('batches', () => {
  test('contain all lines in order, at most 500 each', async () => {
    const { write } = await makeTemporaryFolder();
    const count = 10_000;
    const content = Array.from({ length: count }, (_, n) => `Buyer ${n},${n + 1}\n`).join('');
    const opened = await openPortfolio({ path: await write('a.csv', `name,requested_limit\n${content}`) });
    const sizes: number[] = [];
    const numbers: number[] = [];
    for await (const batch of opened.batches()) {
      sizes.push(batch.length);
      numbers.push(...batch.map((line) => line.line));
    }
    expect(numbers).toEqual(Array.from({ length: count }, (_, n) => n + 2));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
  });

  test('can be abandoned early', async () => {
    const { write } = await makeTemporaryFolder();
    const path = await write('a.csv', `name,requested_limit\n${'Acme,1\n'.repeat(50_000)}`);
    const opened = await openPortfolio({ path });
    for await (const batch of opened.batches()) {
      expect(batch[0]?.kind).toBe('row');
      break;
    }
    await opened.close();
  });
});
