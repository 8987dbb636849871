const KEY = 'jobledger-token';

/** The token from the identity provider, which exists only in memory, as long as the page is open. */
let fromProvider: string | null = null;

/** The token of this browser tab, which exists until the tab is closed; null if no user is signed in. */
export function sessionToken(): string | null {
  return fromProvider ?? sessionStorage.getItem(KEY);
}

/** Stores a token of the API for this tab; null removes the stored token. */
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

/** The key of the stored mark that the identity provider has signed in the user of this tab; the token itself is not stored. */
const PROVIDER_KEY = 'jobledger-provider';

/** Remembers that the API accepted a token of the identity provider, so that a reload leads to the provider again. */
export function rememberProvider(): void {
  if (fromProvider !== null) sessionStorage.setItem(PROVIDER_KEY, 'yes');
}

/** True if the page may go to the identity provider without asking the user; a second call returns false. */
export function takeRememberedProvider(): boolean {
  const is = sessionStorage.getItem(PROVIDER_KEY) !== null;
  sessionStorage.removeItem(PROVIDER_KEY);
  return is;
}
