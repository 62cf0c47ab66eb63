/** An answer of the stand-in, not yet sent. */
export type StandInAnswer = { status: number; headers?: Record<string, string>; body: unknown };

/** The result of checking a request: a refusal, or a function that makes the requested object. */
export type Checked = { refusal: StandInAnswer } | { make: () => StandInAnswer };

/**
 * An error answer. The service documents neither error statuses nor error bodies: both are the stand-in's own choice,
 * in this whole folder.
 */
export function errorAnswer(status: number, code: string, message: string): StandInAnswer {
  return { status, body: { object: 'error', code, message } };
}
