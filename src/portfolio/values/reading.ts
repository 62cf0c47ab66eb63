/**
 * The result of reading a cell: the canonical value, or a message with the correction. `change` says how the value
 * differs from the text, if a person would notice. `open` marks a problem that the column's convention would solve.
 */
export type ValueReading = { value: string; change?: string } | { problem: string; open?: true };
