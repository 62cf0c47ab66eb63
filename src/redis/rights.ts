/**
 * What Redis says of a right that its user lacks within a script, before 7.2 and since then, or within a transaction, and of a command that was
 * renamed. It does not always name the command.
 */
const FORBIDDEN =
  /^ERR (?:The user executing the script can't|ACL failure in script|EXEC without MULTI|unknown command)/;

/** Whether Redis refuses a command for good, in words other than NOPERM: its user lacks a right, or the command was renamed. */
export function isForbiddenWithin(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError' && FORBIDDEN.test(error.message);
}

/** Whether the user of Redis lacks the right to a command, or the command was renamed. */
export function isForbidden(error: unknown): error is Error {
  if (isForbiddenWithin(error)) return true;
  return error instanceof Error && error.name === 'ReplyError' && /^NOPERM\b/.test(error.message);
}
