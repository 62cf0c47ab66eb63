/** A file of a form: the field's name, the file's, and what is in it. */
export type FormFile = [field: string, name: string, content: string | Buffer];

type Visitor = { url: string; credentials: () => Promise<{ cookie: string; token: string; origin: string }> };

/** Uploads files as the form of the console does without script, and answers its answer. */
export const uploadTo = (visitor: Visitor, ...files: FormFile[]) => sendFilesTo(visitor, '/new/upload', files);

/** Sends files to an address of the console, as a form does. */
export async function sendFilesTo({ url, credentials }: Visitor, address: string, files: readonly FormFile[]) {
  const { cookie, token, origin } = await credentials();
  const body = new FormData();
  for (const [field, name, content] of files) body.append(field, new Blob([content]), name);
  const response = await fetch(`${url}${address}?_csrf=${encodeURIComponent(token)}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin, 'sec-fetch-site': 'same-origin', cookie },
    body,
  });
  return { status: response.status, location: response.headers.get('location') ?? '', text: await response.text() };
}
