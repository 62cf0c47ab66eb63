import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const PAGE = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/events.md'), 'utf8');

/** What stands in a line of the example for Caddy, with the blocks around it. */
function caddyLines(): { line: string; within: string[] }[] {
  const example = /^```caddy\n([\s\S]*?)^```/m.exec(PAGE)?.[1] ?? '';
  const open: string[] = [];
  return example.split('\n').flatMap((text) => {
    const line = text.trim();
    const within = [...open];
    if (line.endsWith('{')) open.push(line.slice(0, -1).trim());
    if (line === '}') open.pop();
    return line === '' || line === '}' ? [] : [{ line, within }];
  });
}

test('the example for Caddy hands events on: Caddy answers by a bare respond before it asks reverse_proxy, wherever it stands', () => {
  const lines = caddyLines();
  expect(lines.find(({ line }) => line.startsWith('reverse_proxy'))?.within).toEqual([
    'events.example.com',
    'handle /events/*',
  ]);
  expect(lines.find(({ line }) => line.startsWith('respond'))?.within).toEqual(['events.example.com', 'handle']);
});

// Promise: secret-out-of-proxy-logs
test('the example for Caddy keeps the secret out of its log of faults, which has the address of what could not be passed on', () => {
  expect(caddyLines().find(({ line }) => line === 'exclude http.log.error')?.within).toEqual(['', 'log default']);
});
