import { expect, test } from 'vitest';
import { fileFault } from '../../src/files/disk.ts';

const failure = (code: string) => Object.assign(new Error('EX: some words of the system'), { code });

test.each([
  ['ENOENT', 'read', '/a/b.csv cannot be read: there is no such file; check the path.'],
  ['ENOENT', 'written', '/a/b.csv cannot be written: there is no such folder; make it, or name another.'],
  ['EACCES', 'read', '/a/b.csv cannot be read: this user has no permission; change its permissions.'],
  ['ENOSPC', 'written', '/a/b.csv cannot be written: the disk is full; make room and try again.'],
  ['EIO', 'read', '/a/b.csv cannot be read: EX: some words of the system; check the disk and try again.'],
])('%s of a file that cannot be %s gives the message: %s', (code, action, message) => {
  const cause = failure(code);
  expect(fileFault('/a/b.csv', action, cause)).toMatchObject({ code: 'FILE', message, cause });
});
