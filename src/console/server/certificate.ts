import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Server } from 'node:tls';
import { createSecureContext, type SecureVersion } from 'node:tls';
import type { Settings } from '../../config.ts';
import { LimitlineError, messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { DAY_MS } from '../../time-units.ts';

/** A certificate with its chain, and its private key, both PEM. */
type Certificate = { cert: string; key: string };

type Files = { certFile: string; keyFile: string };

/**
 * TLS from version 1.2 on, since earlier ones are broken (RFC 8996). The ciphers of 1.2 all have forward secrecy and authenticated
 * encryption (RFC 9325, section 4.2; OWASP ASVS 5.0, 12.1.2), as all of 1.3 have. Of the ciphers that a browser offers, the first of this
 * list is used.
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

/** How often the files are checked for a renewed certificate, which may also come as a changed link. */
const LOOK_EVERY_MS = 30_000;

/** When a warning begins before a certificate expires: usually it is renewed about a month before its end. */
const NEAR_END_MS = 14 * DAY_MS;

/** A warning about the certificate is repeated after this time. */
const SAY_EVERY_MS = DAY_MS;

/** @throws LimitlineError `SETTINGS` if the files cannot be read, are not a certificate and a key, or do not match */
export function readCertificate({ certFile, keyFile }: Files): Certificate {
  const [cert = '', key = ''] = readTexts({ CONSOLE_TLS_CERT_FILE: certFile, CONSOLE_TLS_KEY_FILE: keyFile });
  try {
    new X509Certificate(cert);
  } catch (error) {
    throw new LimitlineError('SETTINGS', `CONSOLE_TLS_CERT_FILE (${certFile}) holds no certificate in PEM.`, {
      cause: error,
    });
  }
  try {
    // Parses certificate and key as the server will, and fails where they do not belong together.
    createSecureContext({ cert, key, ...TLS_RULES });
  } catch (error) {
    throw new LimitlineError('SETTINGS', `${keyFault(key, error)} (${keyFile}; certificate ${certFile}).`, {
      cause: error,
    });
  }
  return { cert, key };
}

/** What is wrong with the files of the settings, so that it is said together with other faults; empty where a file is not given. */
export function certificateFaults({
  CONSOLE_TLS_CERT_FILE: certFile,
  CONSOLE_TLS_KEY_FILE: keyFile,
}: Pick<Settings, 'CONSOLE_TLS_CERT_FILE' | 'CONSOLE_TLS_KEY_FILE'>): string[] {
  if (certFile === undefined || keyFile === undefined) return [];
  try {
    readCertificate({ certFile, keyFile });
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** The problems that browsers will have with the certificate under `host`, a sentence each. */
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
 * Checks the files regularly and gives a new certificate to the server. Invalid files are logged and the old certificate stays,
 * since the two files are never written at the same moment.
 *
 * @returns a function that stops the checks
 */
export function keepCertificate(
  server: Pick<Server, 'setSecureContext'>,
  given: { files: Files; first: Certificate; host: string | undefined; log: Log; lookEveryMs?: number },
): () => void {
  const { files, first, host, log, lookEveryMs = LOOK_EVERY_MS } = given;
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
      if (messageOf(error) !== fault) log.warn({ reason: messageOf(error) }, 'the console keeps the old certificate');
      fault = messageOf(error);
    }
    warn();
  }, lookEveryMs);
  look.unref();
  return () => clearInterval(look);
}

function readTexts(files: Record<string, string>): string[] {
  const faults: string[] = [];
  const texts = Object.entries(files).map(([setting, file]) => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      faults.push(`${setting} cannot be read: ${messageOf(error)}.`);
      return '';
    }
  });
  if (faults.length > 0) throw new LimitlineError('SETTINGS', faults.join(' '));
  return texts;
}

function keyFault(key: string, error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH') {
    return 'CONSOLE_TLS_KEY_FILE holds the key of another certificate than that of CONSOLE_TLS_CERT_FILE';
  }
  if (LOCKED_KEY.test(key)) {
    return 'CONSOLE_TLS_KEY_FILE holds a key with a password, and nobody is there to enter it; give the console a key of its own, without a password';
  }
  return 'CONSOLE_TLS_KEY_FILE holds no private key (PEM) that can be used with the certificate';
}

/** What marks a key as encrypted: RFC 7468, section 11, or OpenSSL's older form (RFC 1421). */
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
