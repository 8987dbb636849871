import { describe, expect, it } from '@jest/globals';
import { InputError, UnavailableError } from '../../services/adapters/errors.ts';
import { untilAnswered } from '../../services/cli/verbs/import/until-answered.ts';

/** Fails with these errors, one after the other, then answers. */
function after(...errors: Error[]): { asked: () => number; ask: () => Promise<string> } {
  let asked = 0;
  const ask = (): Promise<string> => {
    asked += 1;
    const error = errors[asked - 1];
    return error === undefined ? Promise.resolve('here') : Promise.reject(error);
  };
  return { asked: () => asked, ask };
}

const away = new UnavailableError('this server is not the leader for that topic-partition');

describe('a part that does not answer yet', () => {
  it('is asked again until it does', async () => {
    const { ask, asked } = after(away, away);
    await expect(untilAnswered(ask, new AbortController().signal)).resolves.toBe('here');
    expect(asked()).toBe(3);
  });

  it('is given up at the limit, with its last error', async () => {
    const { ask, asked } = after(away);
    await expect(untilAnswered(ask, AbortSignal.abort())).rejects.toBe(away);
    expect(asked()).toBe(1);
  });

  it('is asked once when the error is permanent', async () => {
    const { ask, asked } = after(new InputError('no such topic'));
    await expect(untilAnswered(ask, new AbortController().signal)).rejects.toThrow('no such topic');
    expect(asked()).toBe(1);
  });
});
