/**
 * What came of reading a cell: its value in canonical form, or a sentence that says what would be right.
 * `change` says what was changed on the way, where a person would not call the two the same writing; `open` marks a
 * problem that goes away when the column's convention is known.
 */
export type ValueReading = { value: string; change?: string } | { problem: string; open?: true };
