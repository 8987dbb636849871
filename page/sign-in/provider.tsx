import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { takeRememberedProvider } from '../api/session.ts';
import { completeSignIn, hasReturned, redirectToProvider, readProvider } from './provider-session.ts';

/** The button that leads to the identity provider of the API; empty if the API has no provider. */
export function Provider({ onSignedIn }: { onSignedIn: () => void }): ReactElement | null {
  const { data: provider = null } = useQuery({ queryKey: ['provider'], queryFn: readProvider, retry: false });
  const { error } = useQuery({
    queryKey: ['sign-in', provider?.issuer],
    enabled: provider !== null,
    retry: false,
    gcTime: 0,
    queryFn: async () => {
      if (provider === null) return null;
      if (hasReturned()) {
        await completeSignIn(provider);
        onSignedIn();
      } else if (takeRememberedProvider()) await redirectToProvider(provider);
      return null;
    },
  });
  if (provider === null) return null;
  return (
    <>
      <Button fullWidth onClick={() => void redirectToProvider(provider)}>
        Sign in with {new URL(provider.issuer).host}
      </Button>
      {error !== null && (
        <p role="alert" className="failure">
          {error.message}
        </p>
      )}
      <p className="or">or</p>
    </>
  );
}
