import { callerOf, tokenLine, tokensIn } from '../../services/adapters/http/tokens.ts';

const FILE = [
  '# who may ask',
  '',
  tokenLine({ name: 'grafana', scopes: ['read'] }, 'secret-of-grafana').trim(),
  `  ${tokenLine({ name: 'ops', scopes: ['read', 'operate'] }, 'secret-of-ops')}`,
].join('\n');

describe('a file of tokens', () => {
  const tokens = tokensIn(FILE, '/etc/tokens');

  it('contains digests, not tokens', () => {
    expect(FILE).not.toContain('secret');
  });

  it.each([
    ['secret-of-grafana', { name: 'grafana', scopes: ['read'] }],
    ['secret-of-ops', { name: 'ops', scopes: ['read', 'operate'] }],
  ])('names the caller of %s', (token, caller) => {
    expect(callerOf(tokens, token)).toMatchObject(caller);
  });

  it.each(['', 'secret', 'secret-of-grafana ', 'SECRET-OF-OPS'])('rejects %j', (token) => {
    expect(callerOf(tokens, token)).toBeUndefined();
  });

  it.each([
    ['plain read my-secret', '/etc/tokens:1 is not a token: each line must be NAME'],
    [`a write ${'0'.repeat(64)}`, '/etc/tokens:1: "write" is not a scope; valid scopes: read and operate'],
    ['# nothing\n', '/etc/tokens contains no token'],
    [`a read ${'0'.repeat(63)}`, '/etc/tokens:1 is not a token'],
  ])('is refused with %j, which the error does not quote', (text, message) => {
    expect(() => tokensIn(text, '/etc/tokens')).toThrow(message);
    expect(() => tokensIn(text, '/etc/tokens')).not.toThrow('my-secret');
  });
});
