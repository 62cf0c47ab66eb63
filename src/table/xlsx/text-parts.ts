import { LIMITS } from './limits.ts';

/** Joins the text of a cell or a shared text from its XML elements. */
type TextParts = {
  clear(): void;
  open(element: string): void;
  add(text: string): void;
  close(element: string): void;
  text(): string;
};

/**
 * @param elements those that contain text; a Japanese text's pronunciation is left out.
 * @param tooLong makes the error for a text that is longer than Excel allows.
 */
export function makeTextParts(elements: readonly string[], tooLong: () => Error): TextParts {
  let text = '';
  let isWithinText = false;
  let isPhonetic = false;
  return {
    clear() {
      text = '';
    },
    open(element) {
      if (element === PHONETIC) isPhonetic = true;
      isWithinText = !isPhonetic && elements.includes(element);
    },
    add(part) {
      if (!isWithinText) return;
      text += part;
      if (text.length > LIMITS.textLength) throw tooLong();
    },
    close(element) {
      isWithinText = false;
      if (element === PHONETIC) isPhonetic = false;
    },
    text: () => text,
  };
}

const PHONETIC = 'rPh';
