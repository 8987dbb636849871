import { describe, expect, it } from '@jest/globals';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import { textWithoutValues } from '../../services/adapters/kubernetes/error-text.ts';

const PLANT = 'planted "secret"';

describe('the error text of a refused request', () => {
  it.each([
    [
      'an invalid object',
      422,
      `Pod "pi-x" is invalid: [spec.containers[0].name: Invalid value: ${PLANT}: must be a label, spec.x: Required value]`,
      'Pod "pi-x" is invalid: [redacted]',
    ],
    ['another refusal of content', 422, `the server rejected ${PLANT}`, '[redacted]'],
    [
      'an admission webhook',
      403,
      `admission webhook "w.example.com" denied the request: not ${PLANT}`,
      'admission webhook "w.example.com" denied the request: [redacted]',
    ],
    [
      'an admission policy',
      422,
      `pods "pi-x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${PLANT}`,
      `pods "pi-x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: [redacted]`,
    ],
  ])('contains no value of the object: %s', (_by, status, message, text) => {
    expect(textWithoutValues({ status, message })).toBe(text);
    const error = new KubernetesApiError({ status, reason: 'x', message, causes: [] });
    expect([error.message, error.exactText]).toEqual([text, message]);
  });

  it.each([
    [403, 'pods "pi-x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=5, limited: pods=5'],
    [404, 'jobs.batch "pi" not found'],
    [409, 'Operation cannot be fulfilled on pods "pi-x": the object has been modified'],
  ])(
    'contains the text of the response with status %d, which has only names and counts',
    (status, message) => {
      expect(textWithoutValues({ status, message })).toBe(message);
    },
  );
});
