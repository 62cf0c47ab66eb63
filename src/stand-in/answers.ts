/** An answer of the stand-in before it is on the wire. */
export type StandInAnswer = { status: number; headers?: Record<string, string>; body: unknown };

/** What came of checking a request: why it is refused, or how the thing asked for is made. */
export type Checked = { refusal: StandInAnswer } | { make: () => StandInAnswer };

/**
 * An error answer. The service shows neither its error statuses nor the shape of their bodies: both are the stand-in's
 * own choice here and everywhere in this folder.
 */
export function errorAnswer(status: number, code: string, message: string): StandInAnswer {
  return { status, body: { object: 'error', code, message } };
}
