import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Server } from 'node:tls';
import { createSecureContext, type SecureVersion } from 'node:tls';
import { LimitlineError, messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';

/** A certificate with its chain, and its key, both PEM. */
export type Certificate = { cert: string; key: string };

type Files = { certFile: string; keyFile: string };

/**
 * How TLS is spoken: versions before 1.2 are broken (RFC 8996), and of 1.2 only what has forward secrecy and authenticates what it
 * encrypts (RFC 9325, section 4.2; OWASP ASVS 5.0, 12.1.2), in our order. Those of 1.3 are all of that kind.
 */
export const TLS_RULES = {
  minVersion: 'TLSv1.2' as SecureVersion,
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
  ].join(':'),
  honorCipherOrder: true,
};

/** So often the files are looked at again: tools that renew certificates put others in their place, also by a link. */
const LOOK_EVERY_MS = 30_000;

/** Who renews certificates does so a month before their end; this near it nobody does. */
const NEAR_END_MS = 14 * 86_400_000;

/** What nears its end is said so often. */
const SAY_EVERY_MS = 86_400_000;

/** @throws LimitlineError `SETTINGS` for files that cannot be read, are no certificate and key, or do not belong together */
export function readCertificate({ certFile, keyFile }: Files): Certificate {
  const cert = readText('CONSOLE_TLS_CERT_FILE', certFile);
  const key = readText('CONSOLE_TLS_KEY_FILE', keyFile);
  try {
    new X509Certificate(cert);
  } catch (error) {
    throw new LimitlineError('SETTINGS', `CONSOLE_TLS_CERT_FILE (${certFile}) holds no certificate in PEM.`, {
      cause: error,
    });
  }
  try {
    // Reads both as the server will, and holds one against the other.
    createSecureContext({ cert, key, ...TLS_RULES });
  } catch (error) {
    throw new LimitlineError('SETTINGS', `${keyFault(key, error)} (${keyFile}; certificate ${certFile}).`, {
      cause: error,
    });
  }
  return { cert, key };
}

/** What somebody who opens the console under `host` would stumble over, a sentence each. */
export function certificateWarnings({ cert }: Certificate, host: string | undefined, nowMs: number): string[] {
  const { validFromDate, validToDate, ...rest } = datesOf(cert);
  const warnings: string[] = [];
  if (nowMs > validToDate.getTime()) warnings.push(`the certificate of the console expired on ${rest.validTo}`);
  else if (nowMs > validToDate.getTime() - NEAR_END_MS) {
    warnings.push(`the certificate of the console expires on ${rest.validTo}`);
  }
  if (nowMs < validFromDate.getTime())
    warnings.push(`the certificate of the console is valid from ${rest.validFrom} on`);
  if (host !== undefined && !rest.isFor(host)) warnings.push(`the certificate of the console is not for ${host}`);
  return warnings;
}

/**
 * Looks at the files now and then, and gives the server what stands there newly. What does not fit (yet: two files are never
 * written at once) is said, and what was there goes on.
 *
 * @returns a function that ends it
 */
export function keepCertificate(
  server: Pick<Server, 'setSecureContext'>,
  {
    files,
    first,
    host,
    log,
    lookEveryMs = LOOK_EVERY_MS,
  }: {
    files: Files;
    first: Certificate;
    host: string | undefined;
    log: Log;
    lookEveryMs?: number;
  },
): () => void {
  let [now, fault, saidAtMs] = [first, '', Number.NEGATIVE_INFINITY];
  const warn = (): void => {
    if (Date.now() - saidAtMs < SAY_EVERY_MS) return;
    const warnings = certificateWarnings(now, host, Date.now());
    if (warnings.length > 0) saidAtMs = Date.now();
    for (const warning of warnings) log.warn(`${warning}; browsers will not open it, or not for long`);
  };
  warn();
  const look = setInterval(() => {
    try {
      const found = readCertificate(files);
      fault = '';
      if (found.cert !== now.cert || found.key !== now.key) {
        server.setSecureContext({ ...found, ...TLS_RULES });
        now = found;
        saidAtMs = Number.NEGATIVE_INFINITY;
        log.info('the console has another certificate from now on');
      }
    } catch (error) {
      if (messageOf(error) !== fault) log.warn({ reason: messageOf(error) }, 'the console keeps its certificate');
      fault = messageOf(error);
    }
    warn();
  }, lookEveryMs);
  look.unref();
  return () => clearInterval(look);
}

function readText(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new LimitlineError('SETTINGS', `${setting} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

function keyFault(key: string, error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH') {
    return 'CONSOLE_TLS_KEY_FILE holds the key of another certificate than that of CONSOLE_TLS_CERT_FILE';
  }
  if (LOCKED_KEY.test(key)) {
    return 'CONSOLE_TLS_KEY_FILE holds a key with a password, and there is nobody to ask for it; keep it without one, for the console alone';
  }
  return 'CONSOLE_TLS_KEY_FILE holds no private key (PEM) that can be used with the certificate';
}

/** RFC 7468, section 11, and the older form of OpenSSL (RFC 1421). */
const LOCKED_KEY = /BEGIN ENCRYPTED PRIVATE KEY|^Proc-Type: 4,ENCRYPTED/m;

function datesOf(cert: string) {
  const certificate = new X509Certificate(cert);
  const { validFrom, validTo } = certificate;
  return {
    validFrom,
    validTo,
    validFromDate: new Date(validFrom),
    validToDate: new Date(validTo),
    isFor: (host: string) => (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
  };
}
