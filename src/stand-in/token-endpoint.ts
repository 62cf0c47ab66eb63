import { tokenFormSchema } from '../service/schemas.ts';
import type { Checked } from './answers.ts';
import type { TokenSettings } from './fault-settings.ts';
import type { Tokens } from './tokens.ts';

/** Client ID and Client Secret (docs/service.md, "Token"). */
export type Credentials = { clientId: string; clientSecret: string };

/**
 * POST token: checks the form and the credentials, and grants. Neither its answer nor its errors are shown by the
 * service; they are RFC 6749's (sections 5.1 and 5.2) here.
 */
export function makeTokenEndpoint(options: {
  credentials: Credentials;
  tokens: Tokens;
  settings: () => TokenSettings;
}): (form: unknown) => Checked {
  const { clientId, clientSecret } = options.credentials;
  return (form) => {
    const parsed = tokenFormSchema.safeParse(form);
    if (!parsed.success) {
      const fields = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
      return refuse(400, 'invalid_request', fields);
    }
    const { client_id, client_secret } = parsed.data;
    if (client_id !== clientId || client_secret !== clientSecret) {
      return refuse(401, 'invalid_client', 'client_id and client_secret are not a pair that is known here');
    }
    return { make: () => ({ status: 200, body: options.tokens.issue(options.settings()) }) };
  };
}

function refuse(status: number, error: string, description: string): Checked {
  return { refusal: { status, body: { error, error_description: description } } };
}
