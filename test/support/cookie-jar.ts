/** A browser's cookies, as far as these tests need them: by host and port, without ends. */
export function makeCookieJar() {
  const jar = new Map<string, Map<string, string>>();
  const cookiesOf = (url: URL) => {
    const cookies = jar.get(url.host) ?? new Map<string, string>();
    jar.set(url.host, cookies);
    return cookies;
  };
  return {
    cookiesOf: (address: string) => cookiesOf(new URL(address)),
    /** One request with the cookies of its host; no redirect is followed. */
    async ask(address: string, { method = 'GET', headers = {}, form }: Asked = {}) {
      const url = new URL(address);
      const cookies = cookiesOf(url);
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        headers: { ...headers, ...(cookie === '' ? {} : { cookie }) },
        ...(form ? { body: new URLSearchParams(form) } : {}),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
      const location = response.headers.get('location');
      return {
        status: response.status,
        headers: response.headers,
        /** Where it leads, whole. */
        to: location === null ? undefined : new URL(location, url).href,
        text: await response.text(),
      };
    },
  };
}

type Asked = { method?: string; headers?: Record<string, string>; form?: Record<string, string> };
