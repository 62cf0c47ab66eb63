/** A supporting document that was checked and may be sent. */
export type Document = {
  /** The file's base name, as it is sent. */
  name: string;
  /** Absolute, with every link resolved. */
  path: string;
  sizeBytes: number;
  mediaType: string;
};
