import { LIMITS } from './limits.ts';

/** Puts the text of a cell, or of a shared text, together from the elements that it consists of. */
type TextParts = {
  clear(): void;
  open(element: string): void;
  add(text: string): void;
  close(element: string): void;
  text(): string;
};

/**
 * @param elements those that contain text; how a Japanese text is pronounced is beside it, and no part of it.
 * @param tooLong makes the error of a text that is longer than any cell's in Excel.
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
