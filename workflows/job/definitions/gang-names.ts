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

/** A DNS label, as the API requires of a template's name. */
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The name of the template from Kubernetes 1.37 on (J-8.24). Upstream's name is not accepted for a Job whose name is longer than 57
 * characters or has a dot, and such a Job never starts; the name must only be unique in its Workload.
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
  // Each part gets half of the room; a shorter part leaves the rest to the other.
  const ofTemplate = Math.min(template.length, Math.max(half, room - workload.length));
  return `${workload.slice(0, room - ofTemplate)}-${template.slice(0, ofTemplate)}-${hash}`;
}

/**
 * The characters of upstream's generated names, which have no vowels, so that no words appear, and no similar
 * characters.
 */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

function hashLetters(text: string): string {
  return String(fnv1a(text)).replaceAll(/\d/g, (digit) =>
    ALPHABET.charAt(digit.charCodeAt(0) % ALPHABET.length),
  );
}

/** 32-bit FNV-1a. Names in the API are ASCII. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
