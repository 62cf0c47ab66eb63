import type { Pool } from 'undici';

/** The token that a peer calls with, as the service document shows it. */
export async function fetchToken(pool: Pool): Promise<string> {
  const { SERVICE_CLIENT_ID = '', SERVICE_CLIENT_SECRET = '' } = process.env;
  const { body } = await pool.request({
    path: '/v1/auth/token',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: SERVICE_CLIENT_ID,
      client_secret: SERVICE_CLIENT_SECRET,
    }).toString(),
  });
  return ((await body.json()) as { access_token: string }).access_token;
}
