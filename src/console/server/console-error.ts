/** What the person is told, and with which status: for pages and actions that cannot do what is asked for. */
export class ConsoleError extends Error {
  readonly statusCode: number;

  /** @param message for people: what is wrong, and what to do; it may name things, since it is never logged */
  constructor(
    statusCode: 400 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 503 | 507,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ConsoleError';
    this.statusCode = statusCode;
  }
}
