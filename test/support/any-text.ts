import fc from 'fast-check';

/**
 * Any code point, including lone surrogates. The `binary` unit of fast-check is the same, but takes seconds to set up.
 */
export const anyCodePoint = fc
  .oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0x100, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Any text that UTF-8 can hold. */
export const anyText = fc.string({ unit: anyCodePoint.filter((character) => character.isWellFormed()) });

/** Texts of characters that have a meaning for a CSV parser. */
export const hardText = fc.string({ unit: fc.constantFrom('a', 'ü', ' ', ',', '"', '\n', '\r') });
