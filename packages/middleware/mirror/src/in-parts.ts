import type { Bytes, Capabilities, Mutation } from '@unikv/core'

/** Cut mutations at the limits of a store that takes larger batches as a whole or not at all. */
export function inParts(
  mutations: readonly Mutation<Bytes>[],
  { maxItems, maxBytes }: Capabilities['batch'],
): readonly (readonly Mutation<Bytes>[])[] {
  const parts: Mutation<Bytes>[][] = [[]]
  let bytes = 0
  for (const mutation of mutations) {
    const more = mutation.key.length + (mutation.type === 'set' ? mutation.value.length : 0)
    const part = parts.at(-1) as Mutation<Bytes>[]
    if (part.length > 0 && (part.length >= maxItems || bytes + more > maxBytes)) {
      parts.push([mutation])
      bytes = more
    } else {
      part.push(mutation)
      bytes += more
    }
  }
  return parts
}
