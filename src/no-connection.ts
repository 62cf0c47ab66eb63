import { isLimitlineError, messageOf } from './errors.ts';

/**
 * Why a connection to a host failed, for the people who configured its URL. An outage and a wrong URL look alike, so the words say what was
 * found, and not whose fault it is. Unknown errors are shown as they are.
 *
 * The codes are those of Node (`getaddrinfo`, `connect`, OpenSSL, X.509) and undici.
 */
export function noConnectionWords(error: Error): string {
  // Our own errors, such as about a proxy, are readable already.
  if (isLimitlineError(error)) return messageOf(error);
  const code = codeOf(error);
  const known = code === undefined ? undefined : WORDS[code];
  return known === undefined ? messageOf(error) : `${known} (${code})`;
}

/** What is wrong with the certificate of a host, with the code; undefined if the error is about something else. */
export function certificateWords(error: unknown): string | undefined {
  const code = error instanceof Error ? codeOf(error) : undefined;
  const known = code === undefined ? undefined : WORDS[code];
  return known?.startsWith('its certificate') ? `${known} (${code})` : undefined;
}

const NO_TLS = 'it does not speak TLS there: wrong port, or http:// instead of https://';
const UNKNOWN_CERTIFICATE = 'its certificate is signed by nobody known here: see NODE_EXTRA_CA_CERTS';

const WORDS: Record<string, string> = {
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'its name cannot be looked up just now',
  ECONNREFUSED: 'nothing listens at that port',
  EHOSTUNREACH: 'there is no way to that host from here',
  ENETUNREACH: 'there is no way to that network from here',
  ETIMEDOUT: 'nobody answers at that host and port',
  UND_ERR_CONNECT_TIMEOUT: 'nobody answers at that host and port',
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CERTIFICATE,
};

/** The code of an error; a host with several addresses fails with one error each, usually alike. */
function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && code in WORDS) return code;
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? codeOf(first) : undefined;
}
