import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const PAGE = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/events.md'), 'utf8');

/** The lines of the example for Caddy, each with the blocks around it. */
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

test('in the example for Caddy, reverse_proxy and respond are in handle blocks, so that events are passed on', () => {
  const lines = caddyLines();
  expect(lines.find(({ line }) => line.startsWith('reverse_proxy'))?.within).toEqual([
    'events.example.com',
    'handle /events/*',
  ]);
  expect(lines.find(({ line }) => line.startsWith('respond'))?.within).toEqual(['events.example.com', 'handle']);
});

// Promise: secret-out-of-proxy-logs
test('in the example for Caddy, the error log with request addresses is off, so that no secret is logged', () => {
  expect(caddyLines().find(({ line }) => line === 'exclude http.log.error')?.within).toEqual(['', 'log default']);
});
