/** The longest name of an object, in characters. */
const MAX_NAME = 253;

/** The name of the Workload of a Job (J-8.6). */
export function workloadName(job: { name: string; uid: string }): string {
  const hash = hashLetters(`(types.UID)${job.uid}`);
  return `${job.name.slice(0, MAX_NAME - hash.length - 1)}-${hash}`;
}

/** The name of the only template of a PodGroup in the Workload of a Job (J-8.4). */
export function podGroupTemplateName(job: { name: string }): string {
  return `${job.name}-pgt-0`;
}

/** A DNS label, which the API requires as the name of a template. */
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The name of the template since Kubernetes 1.37 (J-8.24). The API server rejects the name that Kubernetes uses for a
 * Job whose name is longer than 57 characters or has a dot, and such a Job never starts; the name need only be unique
 * in its Workload.
 */
export function acceptedTemplateName(job: { name: string }): string {
  const name = podGroupTemplateName(job);
  return LABEL.test(name) ? name : 'pgt-0';
}

/** The name of the PodGroup of a template in a Workload (J-8.7). */
export function podGroupName(workload: string, template: string): string {
  const hash = hashLetters(workload + template);
  const room = MAX_NAME - hash.length - 2;
  const half = Math.floor(room / 2);
  // Each part gets half of the length; a shorter part leaves its remaining length to the other part.
  const ofTemplate = Math.min(template.length, Math.max(half, room - workload.length));
  return `${workload.slice(0, room - ofTemplate)}-${template.slice(0, ofTemplate)}-${hash}`;
}

/**
 * The characters of generated names in Kubernetes; vowels are missing so that no words appear, and similar characters
 * are missing too.
 */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Replaces the digits of a hash by letters that are allowed in names. */
function hashLetters(text: string): string {
  return String(fnv1a(text)).replaceAll(/\d/g, (digit) =>
    ALPHABET.charAt(digit.charCodeAt(0) % ALPHABET.length),
  );
}

/** The 32-bit FNV-1a hash of a text; names in the API are ASCII text. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
