import { isLabel, type FleetFilters } from '../address/page-address.ts';

/** True when a text has the form of a Kubernetes uid. */
export function isUid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** The filters for a searched text, which is a label or a part of a name. */
export function searchedFilters(text: string): FleetFilters {
  if (text === '') return {};
  return isLabel(text) ? { labels: [text] } : { text };
}
