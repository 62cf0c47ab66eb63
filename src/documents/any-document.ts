/** A documents folder that has whatever a line names: for a file whose documents were looked up before. */
export const ANY_DOCUMENT = {
  find: async (name: string) => ({ name, path: name, sizeBytes: 0, mediaType: '' }),
};
