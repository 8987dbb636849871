/** A DNS label, which every name of a namespace must be. */
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** A DNS subdomain, which every name of a Job, a CronJob or a pod must be. */
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_SUBDOMAIN = 253;

export function isNamespaceName(name: string): boolean {
  return LABEL.test(name);
}

export function isObjectName(name: string): boolean {
  return name.length <= LONGEST_SUBDOMAIN && SUBDOMAIN.test(name);
}
