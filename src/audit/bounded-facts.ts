type Facts = Readonly<Record<string, unknown>>;

/** What all facts of an entry may take, as JSON: a plan with its counts is a tenth of it. */
const MOST_BYTES = 8_000;

/** Of a text that makes facts too long so much is kept. */
const CUT_TEXT = 200;

/** Whatever stands under such a name is left out, whoever put it there. */
const SECRET_NAMES = /password|secret|token|recovery|otp|cookie|authorization/i;

/** The facts as JSON has them, without what may be a secret; what is longer than it may be is cut, and `cut` says so. */
export function boundedFacts(facts: Facts): Facts {
  const whole = JSON.stringify(facts, withoutSecrets) ?? '{}';
  if (isShort(whole)) return JSON.parse(whole);
  const cut = JSON.stringify(JSON.parse(whole), (_name, value) =>
    typeof value === 'string' ? cutText(value, CUT_TEXT) : value,
  );
  if (isShort(cut)) return { ...JSON.parse(cut), cut: true };
  // Some hundred characters less than there may be, since quotation marks are written as two.
  let text = cutText(cut, MOST_BYTES / 2);
  while (!isShort(JSON.stringify(text))) text = cutText(text, Math.floor(text.length * 0.7));
  return { text, cut: true };
}

/** A text of at most so many characters, with `…` at its end where there were more. */
export function cutText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…`.toWellFormed() : text;
}

function withoutSecrets(name: string, value: unknown): unknown {
  if (SECRET_NAMES.test(name) && value !== null && typeof value !== 'boolean') return '(left out)';
  if (typeof value === 'bigint') return String(value);
  return value;
}

function isShort(json: string): boolean {
  return Buffer.byteLength(json) <= MOST_BYTES - ',"cut":true'.length;
}
