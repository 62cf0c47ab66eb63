/**
 * What can go wrong on our side of the wire, by name. A person reads the message; a program reads the code.
 * What the service answers is not an error here: see `service/meaning.ts`.
 */
type ErrorCode =
  /** A command, setting or name that nobody can have meant so. */
  | 'USAGE'
  | 'SETTINGS'
  /** A file or folder that cannot be read or written. */
  | 'FILE'
  /** Redis is missing, too old, or does not answer; or its replicas do not confirm. */
  | 'REDIS'
  /** Redis is older than what was sent: a copy was put back, or its last writes are lost. */
  | 'OLDER'
  /** The memory of Redis is nearly full. */
  | 'FULL'
  /** The service's token endpoint or a call refused the credentials. */
  | 'CREDENTIALS'
  /** The service could not be reached, or answered something that no rule of ours covers. */
  | 'SERVICE'
  /** No portfolio, row or line of that name. */
  | 'NOT_FOUND'
  /** A wait was given up because the process is stopping. */
  | 'STOPPED';

/**
 * The one error that this project throws. Its message names the thing, the value and the remedy in one line, since
 * the command line prints exactly that line (exit status 1).
 */
export class LimitlineError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LimitlineError';
    this.code = code;
  }
}

/** True for our own error, of one of those codes where any is named. */
export function isLimitlineError(error: unknown, ...codes: ErrorCode[]): error is LimitlineError {
  return error instanceof LimitlineError && (codes.length === 0 || codes.includes(error.code));
}

/**
 * The text of whatever was thrown, on one line: for logs, problems and standard error. Without the data that others put
 * into their messages, and without the user and password of an address.
 */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return maskUserInfo(withoutData(text)).replace(/\s+/g, ' ').trim();
}

/** The text with `***` for the user and password of each address in it (RFC 3986, section 3.2.1). */
export function maskUserInfo(text: string): string {
  return text.replace(/(\w:\/\/)[^\s/?#"'<>]*@/g, '$1***@');
}

/** Redis repeats the arguments of a command that it does not know; JSON.parse, the text that is none. */
function withoutData(text: string): string {
  return text
    .replace(/, with args beginning with: [\s\S]*$/, '')
    .replace(
      /^(?:Unexpected token [\s\S]{1,4}, )?(?:\.\.\.)?"[\s\S]*"(?:\.\.\.)? is not valid JSON$/,
      'a text is not valid JSON',
    );
}
