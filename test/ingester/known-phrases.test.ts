import { describe, expect, it } from '@jest/globals';
import { assert, constantFrom, property, string, tuple } from 'fast-check';
import { redactPod } from '../../services/ingester/redaction/redact.ts';
import { recordedFields, recordFieldsSetting } from '../../services/ingester/redaction/recorded-fields.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { podObject } from '../support/builders.ts';

const REDACTION = { fields: recordedFields(recordFieldsSetting.parse('')), maxBytes: 20_000 };

/** The recorded state of the container of a pod in this state. */
function recorded(state: object, of: 'state' | 'lastState' = 'state', maxBytes = 20_000): unknown {
  const pod = podObject({ name: 'pi-x', phase: 'Pending' });
  const containerStatuses = [{ name: 'main', [of]: state }];
  const given = { ...pod, status: { ...pod.status, containerStatuses } } as unknown as Pod;
  const object = redactPod(given, { ...REDACTION, maxBytes })?.object;
  const { status } = object ?? {};
  return (status as unknown as { containerStatuses: Record<string, unknown>[] }).containerStatuses[0]?.[of];
}

const terminated = (reason: string, message: string): object => ({
  terminated: { exitCode: 128, reason, message },
});
const waiting = (reason: string, message: string): object => ({ waiting: { reason, message } });

const RUNC =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "train --token=s3cret": executable file not found in $PATH';

describe('the message of a container that could not start', () => {
  it('is recorded in known phrases, without the command line', () => {
    const phrase = 'executable file not found in $PATH';
    expect(recorded(terminated('StartError', RUNC))).toEqual(terminated('StartError', phrase));
    expect(recorded(terminated('StartError', RUNC), 'lastState')).toEqual(terminated('StartError', phrase));
  });

  it('is recorded in the same way for a pod that is too large', () => {
    const large = `${RUNC}: permission denied${' x'.repeat(20_000)}`;
    const phrases = 'executable file not found in $PATH; permission denied';
    expect(recorded(waiting('RunContainerError', large))).toEqual(waiting('RunContainerError', phrases));
  });

  it.each([
    [
      'ErrImagePull',
      'failed to pull and unpack image "registry.example.com/a:1": failed to resolve reference: unexpected status from GET request to https://registry.example.com/v2/?X-Sig=s3cret: 401 Unauthorized',
      '401 Unauthorized',
    ],
    [
      'ErrImagePull',
      'failed to resolve reference "a:1": a:1: not found: manifest unknown',
      'manifest unknown',
    ],
    ['CreateContainerConfigError', 'secret "db-password" not found', 'secret "db-password" not found'],
    [
      'CreateContainerConfigError',
      "couldn't find key url in ConfigMap team-a/settings",
      "couldn't find key url in ConfigMap team-a/settings",
    ],
    ['CreateContainerConfigError', 'a secret "s3cret" not found, and more', '[redacted]'],
    ['StartError', 'secret "s3cret" not found', '[redacted]'],
    ['CrashLoopBackOff', 'permission denied', '[redacted]'],
  ])('is reduced to known phrases for %s: %s', (reason, message, expected) => {
    expect(recorded(waiting(reason, message))).toEqual(waiting(reason, expected));
  });

  it('never contains the text around its known phrases', () => {
    const reasons = constantFrom('StartError', 'ErrImagePull', 'CreateContainerConfigError');
    const phrases = constantFrom('', 'permission denied', 'no such file or directory');
    assert(
      property(tuple(reasons, string(), phrases, string()), ([reason, before, phrase, after]) => {
        const known = phrase === '' ? '[redacted]' : phrase;
        const message = `exec: "<${before}>": ${phrase} <${after}>`;
        expect(recorded(waiting(reason, message))).toEqual(waiting(reason, known));
      }),
    );
  });
});

describe('the message of a container whose program failed', () => {
  it('is redacted as a whole, also when it has a known phrase, because the program may have written it', () => {
    expect(recorded(terminated('Error', 'permission denied'))).toEqual(terminated('Error', '[redacted]'));
  });
});
