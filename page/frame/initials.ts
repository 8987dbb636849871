/** Up to two letters for a name, such as `AN` for `anna` and `RK` for `oidc:rosa.klein@example.com`. */
export function toInitials(name: string): string {
  const [own = ''] = name.replace(/^[^:]*:/, '').split('@');
  const words = own.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const [first = '?', second] = words;
  const letters = second === undefined ? first.slice(0, 2) : first.slice(0, 1) + second.slice(0, 1);
  return letters.toUpperCase();
}
