/** Headers of a response as undici gives them: names in lower case, a list for a repeated name. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;
