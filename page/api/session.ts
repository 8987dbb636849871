const KEY = 'jobledger-token';

/** A token from the identity provider: in memory only, gone with the page. */
let fromProvider: string | null = null;

/** The token of this browser tab; gone when the tab is closed. The value is null when no user is signed in. */
export function sessionToken(): string | null {
  return fromProvider ?? sessionStorage.getItem(KEY);
}

/** Keeps or forgets a token of the API for this tab. */
export function setSessionToken(token: string | null): void {
  fromProvider = null;
  sessionStorage.removeItem(PROVIDER_KEY);
  if (token === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
}

/** Uses a token of the identity provider until the page is closed or reloaded. */
export function setProviderToken(token: string): void {
  fromProvider = token;
}

/** The value is set when the identity provider signed this tab in. The session has no token. */
const PROVIDER_KEY = 'jobledger-provider';

/** Remembers that the API took a token of the identity provider, so that a reload leads there again. */
export function rememberProvider(): void {
  if (fromProvider !== null) sessionStorage.setItem(PROVIDER_KEY, 'yes');
}

/** True to go to the identity provider without a question; the value is true only once. */
export function takeRememberedProvider(): boolean {
  const is = sessionStorage.getItem(PROVIDER_KEY) !== null;
  sessionStorage.removeItem(PROVIDER_KEY);
  return is;
}
