import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { certificateWarnings, keepCertificate, readCertificate } from '../../../src/console/server/certificate.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { CERTIFICATE_PATH, PRIVATE_IDENTITY, TLS_HOST, TLS_KEY_PATH } from '../../support/tls-service.ts';
import { makeKeptLog } from '../../support/workplace.ts';

const FILES = { certFile: CERTIFICATE_PATH, keyFile: TLS_KEY_PATH };

/** The fingerprint of the certificate at a port. */
async function certificateAt(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test('readCertificate() reads a certificate and its key', async () => {
  expect(readCertificate(FILES).cert).toBe(await readFile(CERTIFICATE_PATH, 'utf8'));
});

test('an unusable file is refused, and the error names its setting and path', async () => {
  const { dir, write } = await makeTemporaryFolder();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const passphrase = 'limitline limitline';
  const locked = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase });
  const [nothing, text, shut] = [join(dir, 'nothing'), await write('text.pem', 'x'), await write('shut.pem', locked)];
  for (const [files, words] of [
    [{ ...FILES, certFile: nothing }, /CONSOLE_TLS_CERT_FILE cannot be read: .*nothing/],
    [{ ...FILES, keyFile: nothing }, /CONSOLE_TLS_KEY_FILE cannot be read: .*nothing/],
    [{ ...FILES, certFile: text }, /CONSOLE_TLS_CERT_FILE .*text\.pem.* holds no certificate/],
    [{ ...FILES, certFile: TLS_KEY_PATH }, /CONSOLE_TLS_CERT_FILE .* holds no certificate/],
    [{ ...FILES, keyFile: text }, /CONSOLE_TLS_KEY_FILE holds no private key .*text\.pem/],
    [{ ...FILES, keyFile: PRIVATE_IDENTITY.keyPath }, /CONSOLE_TLS_KEY_FILE holds the key of another certificate/],
    [{ ...FILES, keyFile: shut }, /CONSOLE_TLS_KEY_FILE holds a key with a password/],
  ] as const) {
    expect(() => readCertificate(files)).toThrow(words);
  }
});

test('a certificate that is expired, near its end, not valid yet or for another name leads to a warning', () => {
  const certificate = readCertificate(FILES);
  const warned = (host: string | undefined, date: string) => certificateWarnings(certificate, host, Date.parse(date));
  expect(warned(TLS_HOST, '2026-11-22')).toEqual([]);
  expect(warned('127.0.0.1', '2026-11-22')).toEqual([]);
  expect(warned(undefined, '2026-11-22')).toEqual([]);
  expect(warned('console.example.com', '2026-11-22')).toEqual([
    expect.stringContaining('is not for console.example.com'),
  ]);
  expect(warned(TLS_HOST, '2121-01-01')).toEqual([expect.stringMatching(/expired on Jan .* 2120/)]);
  expect(warned(TLS_HOST, '2119-12-25')).toEqual([expect.stringMatching(/expires on Jan .* 2120/)]);
  expect(warned(TLS_HOST, '2019-12-25')).toEqual([expect.stringMatching(/valid from Jan .* 2020/)]);
});

// Promise: renewed-certificate
test('a renewed certificate is used for the next connection, and one without its key changes nothing', async () => {
  const { dir } = await makeTemporaryFolder();
  const files = { certFile: join(dir, 'cert.pem'), keyFile: join(dir, 'key.pem') };
  await copyFile(CERTIFICATE_PATH, files.certFile);
  await copyFile(TLS_KEY_PATH, files.keyFile);
  const first = readCertificate(files);
  const server = createServer(first).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { log, lines } = makeKeptLog();
  const stop = keepCertificate(server, { files, first, host: 'localhost', log, lookEveryMs: 5 });
  onTestFinished(() => {
    stop();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const before = await certificateAt(port);

  await copyFile(PRIVATE_IDENTITY.certificatePath, join(dir, 'new'));
  await rename(join(dir, 'new'), files.certFile);
  await expect.poll(() => lines.map(({ msg }) => msg)).toContain('the console keeps the old certificate');
  expect(await certificateAt(port)).toBe(before);

  await copyFile(PRIVATE_IDENTITY.keyPath, join(dir, 'new'));
  await rename(join(dir, 'new'), files.keyFile);
  await expect.poll(() => certificateAt(port)).not.toBe(before);
  expect(lines.map(({ msg }) => msg)).toEqual([
    'the console keeps the old certificate',
    'the console has another certificate from now on',
  ]);
  await writeFile(files.certFile, '');
  await expect.poll(() => lines.length).toBe(3);
  expect(await certificateAt(port)).not.toBe(before);
});
