import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState, type ReactElement } from 'react';
import { takeRememberedProvider } from '../api/session.ts';
import { completeSignIn, hasReturned, leaveFor, readProvider } from './provider-session.ts';

/** The way to sign in with the identity provider of the API; nothing without one. */
export function Provider({ onSignedIn }: { onSignedIn: () => void }): ReactElement | null {
  const { data: provider = null } = useQuery({ queryKey: ['provider'], queryFn: readProvider, retry: false });
  const [problem, setProblem] = useState<string | null>(null);
  const complete = useEffectEvent(async () => {
    if (provider === null) return;
    if (!hasReturned()) {
      if (takeRememberedProvider()) await leaveFor(provider);
      return;
    }
    try {
      await completeSignIn(provider);
      onSignedIn();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'the identity provider cannot be reached');
    }
  });
  useEffect(() => void complete(), [provider]);
  if (provider === null) return null;
  return (
    <>
      <Button fullWidth onClick={() => void leaveFor(provider)}>
        Sign in with {new URL(provider.issuer).host}
      </Button>
      {problem !== null && (
        <p role="alert" className="failure">
          {problem}
        </p>
      )}
      <p className="or">or</p>
    </>
  );
}
