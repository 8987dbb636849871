const KEY = 'jobledger-token';

/** A token from the identity provider: in memory only, gone with the page. */
let fromProvider: string | null = null;

/** The token of this browser tab; gone when the tab is closed. Null: not signed in. */
export function sessionToken(): string | null {
  return fromProvider ?? sessionStorage.getItem(KEY);
}

/** Keeps or forgets a token of the API for this tab. */
export function setSessionToken(token: string | null): void {
  fromProvider = null;
  if (token === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
}

/** Uses a token of the identity provider until the page is closed or reloaded. */
export function setProviderToken(token: string): void {
  fromProvider = token;
}
