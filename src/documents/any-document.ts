/** A documents folder that has every document, for a file whose documents were checked before. */
export const ANY_DOCUMENT = {
  find: async (name: string) => ({ name, path: name, sizeBytes: 0, mediaType: '' }),
};
