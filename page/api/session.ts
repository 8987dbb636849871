const KEY = 'jobledger-token';

/** The token of this browser tab; gone when the tab is closed. Null: not signed in. */
export function sessionToken(): string | null {
  return sessionStorage.getItem(KEY);
}

/** Keeps or forgets the token. */
export function setSessionToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
}
