import { useState, type ReactElement } from 'react';

/** Asks for a token of the API. */
export function SignIn({
  message,
  onToken,
}: {
  message: string | null;
  onToken: (token: string) => void;
}): ReactElement {
  const [token, setToken] = useState('');
  return (
    <main className="sign-in">
      <h1>Jobledger</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== '') onToken(token.trim());
        }}
      >
        <label>
          Token of the API
          <input
            type="password"
            autoComplete="off"
            required
            value={token}
            onChange={({ target }) => setToken(target.value)}
          />
        </label>
        <button type="submit">Sign in</button>
      </form>
      {message !== null && <p role="alert">{message}</p>}
      <p>
        <code>jobledger up</code> prints the file of its token as <code>api-token</code>. The token is kept in
        this tab only.
      </p>
    </main>
  );
}
