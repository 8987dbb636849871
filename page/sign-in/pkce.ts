/** The identity provider of the API; null if the API accepts only its own tokens. */
export interface ProviderSettings {
  issuer: string;
  client_id: string;
  scope: string;
  authorization_endpoint: string;
  token_endpoint: string;
}

/** The data that the page stores while the user is at the provider; it contains no token. */
export interface SignInAttempt {
  verifier: string;
  state: string;
  /** The query of the address to return to. */
  search: string;
}

/** A random text of 43 characters that nobody can guess (RFC 7636, section 4.1). */
export function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** The challenge for a verifier (RFC 7636, section 4.2, S256). */
export async function createChallenge(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

/** Encodes bytes in base64url, without padding. */
function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCodePoint(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The address at which the provider authenticates a user (OpenID Connect Core 1.0, section 3.1.2.1). */
export function authorizationUrl(
  { authorization_endpoint: endpoint, client_id: client, scope }: ProviderSettings,
  attempt: SignInAttempt,
  { challenge, redirect }: { challenge: string; redirect: string },
): string {
  const url = new URL(endpoint);
  const fields = {
    response_type: 'code',
    client_id: client,
    scope,
    redirect_uri: redirect,
    state: attempt.state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}

/** The answer of the provider in the address; null without an answer. */
export function parseProviderAnswer(
  search: string,
): { code: string; state: string } | { refused: string } | null {
  const query = new URLSearchParams(search);
  const [code, state, error] = [query.get('code'), query.get('state'), query.get('error')];
  if (state === null) return null;
  if (error !== null) return { refused: query.get('error_description') ?? error };
  return code === null ? null : { code, state };
}

/** The form that changes a code for tokens (RFC 6749, section 4.1.3). */
export function tokenRequest(
  { client_id: client }: ProviderSettings,
  { verifier }: SignInAttempt,
  { code, redirect }: { code: string; redirect: string },
): URLSearchParams {
  return new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirect,
    client_id: client,
    code_verifier: verifier,
  });
}
