/** Change what can be changed; what is frozen stays, and that is as good. */
export function spoil(value: unknown): void {
  if (value instanceof Uint8Array) {
    value.fill(0xee)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const name of Object.keys(value)) {
    spoil((value as Record<string, unknown>)[name])
    Reflect.set(value, name, 'spoilt')
  }
  Reflect.set(value, 'added', 'spoilt')
}
