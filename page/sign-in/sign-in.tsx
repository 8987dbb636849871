import { Button, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useTitle } from '../components/use-title.ts';
import { Provider } from './provider.tsx';

/** Asks for a token of the API, or leads to the identity provider if the API has one. */
export function SignIn(props: {
  message: string | null;
  onToken: (token: string) => void;
  /** The component calls this function when the identity provider has issued a token. */
  onSignedIn: () => void;
}): ReactElement {
  const { message, onToken, onSignedIn } = props;
  const [token, setToken] = useState('');
  useTitle('Sign in');
  return (
    <main className="sign-in">
      <div className="panel">
        <p className="brand">
          job<span>ledger</span>
        </p>
        <h1>Sign in</h1>
        <Provider onSignedIn={onSignedIn} />
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (token.trim() !== '') onToken(token.trim());
          }}
        >
          <TextInput
            label="Token of the API"
            type="password"
            autoComplete="off"
            required
            withAsterisk={false}
            value={token}
            onChange={({ currentTarget }) => setToken(currentTarget.value)}
          />
          <Button type="submit" fullWidth>
            Sign in
          </Button>
        </form>
        {message !== null && (
          <p role="alert" className="failure">
            {message}
          </p>
        )}
        <p className="muted small">
          <code>jobledger up</code> prints the file of its token as <code>api-token</code>. The token is kept
          in this tab only.
        </p>
      </div>
    </main>
  );
}
