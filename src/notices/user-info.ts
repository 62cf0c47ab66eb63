/** User and password of a URL, decoded; a percent sign that begins no escape is literal. */
export function userInfoOf({ username, password }: URL): { user: string; pass: string } | undefined {
  return username === '' && password === '' ? undefined : { user: decoded(username), pass: decoded(password) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'));
  } catch {
    return text;
  }
}
