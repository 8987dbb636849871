/** A DNS label: every name of a namespace is one. */
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** A DNS subdomain: every name of a Job, a CronJob or a pod is one. */
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_SUBDOMAIN = 253;

export function isNamespaceName(name: string): boolean {
  return LABEL.test(name);
}

export function isObjectName(name: string): boolean {
  return name.length <= LONGEST_SUBDOMAIN && SUBDOMAIN.test(name);
}
