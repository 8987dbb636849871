import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { parseSecrets, signatureHeaders } from '../../../services/projector/sink/signature.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NEXT = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('the signature of a delivery', () => {
  it('equals the example of Standard Webhooks', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
    expect(signatureHeaders([SECRET], message, new Date(1614265330_000))).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is accepted by a verifier with the old or the new secret during a change, and with no other secret', () => {
    const body = '{"data":{"message":"Größe"}}';
    const headers = signatureHeaders(parseSecrets(`${SECRET}\n${NEXT}\n`), { id: 'a', body }, new Date());
    for (const secret of [SECRET, NEXT])
      expect(new Webhook(secret).verify(body, headers)).toEqual({ data: { message: 'Größe' } });
    const other = new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`);
    expect(() => other.verify(body, headers)).toThrow('No matching signature found');
    expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow('No matching signature found');
  });

  it('covers an id of ASCII without full stops, whatever the name of the cluster', () => {
    const ids = ['prod.example/1/ended', 'prod%2Eexample/1/ended', 'größe/1/ended'].map(
      (id) => signatureHeaders([SECRET], { id, body: '' }, new Date(0))['webhook-id'] ?? '',
    );
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[\x21-\x2d\x2f-\x7e]+$/);
  });

  it.each([
    ['no text', ''],
    ['no prefix', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['no base64', 'whsec_not-base64-not-base64-not-base64'],
    ['too few bytes', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['too many bytes', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['a good secret and a bad one', `${SECRET} other`],
  ])(
    'is impossible with a secret that is invalid: %s, and the error does not show the secret',
    (_situation, text) => {
      const refused = (): unknown => parseSecrets(text);
      expect(refused).toThrow(/^a secret is "whsec_" and 24 to 64 random bytes in base64/);
      if (text !== '') expect(refused).not.toThrow(text);
    },
  );
});
