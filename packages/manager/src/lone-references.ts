import { isPlainObject } from '@unikv/core/platform'

/** The options of objects whose text was one reference such as `${TIMEOUT}` and nothing else. */
const lone = new WeakMap<object, ReadonlySet<string>>()

/** Whether a text is one reference and nothing else. */
export function isOneReference(value: unknown): boolean {
  return typeof value === 'string' && /^\$\{[^{}]*\}$/.test(value)
}

/** Note which options of an object, or items of a list, were one reference. */
export function noteReferences<T extends object>(holder: T, names: readonly string[]): T {
  if (names.length > 0) lone.set(holder, new Set(names))
  return holder
}

/**
 * The same data with the variable at a place as the number or boolean that its text says, for an option that takes no text.
 * `undefined` if there is no variable, or its text is neither.
 */
export function withTyped(data: unknown, [name, ...rest]: readonly PropertyKey[]): unknown {
  if (typeof data !== 'object' || data === null || name === undefined) return undefined
  const key = String(name)
  const held = (data as Readonly<Record<string, unknown>>)[key]
  const isHere = rest.length === 0 && lone.get(data)?.has(key) === true
  const value = isHere ? typed(held) : withTyped(held, rest)
  if (value === undefined) return undefined
  const names = [...(lone.get(data) ?? [])].filter((one) => one !== key)
  const copy = Array.isArray(data)
    ? data.map((one, i) => (String(i) === key ? value : one))
    : { ...data, [key]: value }
  return noteReferences(copy, names)
}

/** A copy of data, with the notes of the original. */
export function withReferencesOf(original: unknown, copy: unknown): unknown {
  if (original === copy || typeof original !== 'object' || original === null) return copy
  if (typeof copy !== 'object' || copy === null) return copy
  for (const [name, value] of Object.entries(original))
    withReferencesOf(value, (copy as Readonly<Record<string, unknown>>)[name])
  return noteReferences(copy, [...(lone.get(original) ?? [])])
}

/** The places of options that were one reference, in data of objects and lists. */
function* referencesIn(data: unknown, above: readonly string[] = []): Iterable<readonly string[]> {
  if (!Array.isArray(data) && !isPlainObject(data)) return
  for (const [name, value] of Object.entries(data))
    if (lone.get(data)?.has(name) === true) yield [...above, name]
    else yield* referencesIn(value, [...above, name])
}

/**
 * Make something of options. Where a message names an option whose text was one reference, it is made again with the number or
 * boolean that the text says.
 */
export function madeOf<O, T>(options: O, make: (options: O) => T): T {
  try {
    return make(options)
  } catch (error) {
    const { message } = error as Error
    for (const place of referencesIn(options)) {
      const next = message.includes(String(place.at(-1))) ? withTyped(options, place) : undefined
      if (next !== undefined) return madeOf(next as O, make)
    }
    throw error
  }
}

function typed(text: unknown): number | boolean | undefined {
  if (text === 'true' || text === 'false') return text === 'true'
  return typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined
}
