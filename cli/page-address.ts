/** The address of the page, which the HTTP API at this address serves. */
export function pageAddress(api: string): string {
  return `${api}/ui/`;
}
