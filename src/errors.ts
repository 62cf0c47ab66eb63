/**
 * Codes of our own errors, for programs; people read the message. Responses of the service are no errors here: see
 * `service/answer-meaning.ts`.
 */
type ErrorCode =
  /** An invalid command, argument or name. */
  | 'USAGE'
  | 'SETTINGS'
  /** A file or folder cannot be read or written. */
  | 'FILE'
  /** Redis is missing, too old, or does not answer; or its replicas do not confirm. */
  | 'REDIS'
  /** Redis is older than what was sent: a backup was restored, or its last writes are lost. */
  | 'OLDER'
  /** The memory of Redis is nearly full. */
  | 'FULL'
  /** The service's token endpoint, or a call, rejected the credentials. */
  | 'CREDENTIALS'
  /** The service could not be reached, or answered something unexpected. */
  | 'SERVICE'
  /** No portfolio, row or line of this name. */
  | 'NOT_FOUND'
  /** Waiting was given up because the process stops. */
  | 'STOPPED';

/**
 * An error for people. The few other error classes extend it, or stay within one part. Its message names thing, value and remedy in one line,
 * which the command line prints as it is (exit status 1).
 */
export class LimitlineError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LimitlineError';
    this.code = code;
  }
}

/** Whether it is our own error, with one of these codes if any are given. */
export function isLimitlineError(error: unknown, ...codes: ErrorCode[]): error is LimitlineError {
  return error instanceof LimitlineError && (codes.length === 0 || codes.includes(error.code));
}

/**
 * The message of any thrown value, on one line, for logs, problems and standard error. Data that libraries put into messages is left out,
 * and so are user and password of URLs.
 */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return maskUserInfo(withoutData(text)).replace(/\s+/g, ' ').trim();
}

/** Replaces user and password of each URL in a text by `***` (RFC 3986, section 3.2.1). */
export function maskUserInfo(text: string): string {
  return text.replace(/(\w:\/\/)[^\s/?#"'<>]*@/g, '$1***@');
}

/** Whether Redis refuses a command within a script or transaction, or a renamed one. Such a refusal does not begin with NOPERM. */
export function isForbiddenWithin(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError' && FORBIDDEN.test(error.message);
}

/** Whether the user of Redis lacks the right to a command, or the command was renamed. */
export function isForbidden(error: unknown): error is Error {
  return (
    isForbiddenWithin(error) ||
    (error instanceof Error && error.name === 'ReplyError' && /^NOPERM\b/.test(error.message))
  );
}

/**
 * What Redis says of a right that its user lacks within a script, before 7.2 and since then, or within a transaction, and of a command that was
 * renamed. It does not always name the command.
 */
const FORBIDDEN =
  /^ERR (?:The user executing the script can't|ACL failure in script|EXEC without MULTI|unknown command)/;

/** Removes data from messages: Redis repeats arguments of an unknown command, and JSON.parse repeats invalid text. */
function withoutData(text: string): string {
  return text
    .replace(/, with args beginning with: [\s\S]*$/, '')
    .replace(
      /^(?:Unexpected token [\s\S]{1,4}, )?(?:\.\.\.)?"[\s\S]*"(?:\.\.\.)? is not valid JSON$/,
      'a text is not valid JSON',
    );
}
