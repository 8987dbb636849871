import { API } from '../api/client.ts';
import { setProviderToken } from '../api/session.ts';
import {
  authorizationUrl,
  createChallenge,
  randomText,
  parseProviderAnswer,
  tokenRequest,
  type ProviderSettings,
  type SignInAttempt,
} from './pkce.ts';

/** The storage key of the attempt that the provider has not answered yet. */
const KEY = 'jobledger-sign-in';

/** The provider of the API; null when the API has no provider. */
export async function readProvider(): Promise<ProviderSettings | null> {
  const response = await fetch(`${API}/ui/sign-in`);
  return response.ok ? ((await response.json()) as ProviderSettings | null) : null;
}

/** Sends the browser to the provider, which sends it back to this page with a code. */
export async function redirectToProvider(provider: ProviderSettings): Promise<void> {
  const attempt: SignInAttempt = { verifier: randomText(), state: randomText(), search: location.search };
  sessionStorage.setItem(KEY, JSON.stringify(attempt));
  const challenge = await createChallenge(attempt.verifier);
  location.assign(authorizationUrl(provider, attempt, { challenge, redirect: ownAddress() }));
}

/** True when the address has an answer of the provider to an attempt of this tab. */
export function hasReturned(): boolean {
  return parseProviderAnswer(location.search) !== null && sessionStorage.getItem(KEY) !== null;
}

/**
 * Exchanges the code in the address for a token, which stays in memory, and shows the earlier view. @throws Error
 * with the message of the provider.
 */
export async function completeSignIn(provider: ProviderSettings): Promise<void> {
  const attempt = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as SignInAttempt | null;
  sessionStorage.removeItem(KEY);
  const returned = parseProviderAnswer(location.search);
  history.replaceState(null, '', location.pathname + (attempt?.search ?? ''));
  window.dispatchEvent(new Event('popstate'));
  if (returned === null || attempt === null) return;
  if ('refused' in returned) throw new Error(`the identity provider refused: ${returned.refused}`);
  if (returned.state !== attempt.state)
    throw new Error('the answer belongs to another attempt; sign in again');
  const request = tokenRequest(provider, attempt, { code: returned.code, redirect: ownAddress() });
  const response = await fetch(provider.token_endpoint, { method: 'POST', body: request });
  const body = (await response.json().catch(() => ({}))) as { id_token?: unknown; error?: unknown };
  if (typeof body.id_token !== 'string')
    throw new Error(
      `the identity provider gave no ID token: ${typeof body.error === 'string' ? body.error : `status ${response.status}`}`,
    );
  setProviderToken(body.id_token);
}

/** The address of this page without query, to which the provider returns. */
function ownAddress(): string {
  return location.origin + location.pathname;
}
