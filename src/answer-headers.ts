/** The headers of an answer as undici gives them: lower-case names, a list where a name came twice. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;
