import type { BatchCapability } from './capabilities.ts'
import type { Mutation, Read } from './store.ts'

/** Cut reads at the adapter's limits, in order. */
export function splitReads(reads: readonly Read[], batch: Limits): readonly (readonly Read[])[] {
  return split(reads, batch, (read) => read.key.length)
}

/** Cut mutations at the adapter's limits, in order. An item over the byte limit goes alone. */
export function splitMutations<V>(
  mutations: readonly Mutation<V>[],
  batch: Limits,
): readonly (readonly Mutation<V>[])[] {
  return split(mutations, batch, mutationBytes)
}

/** Bytes that a mutation adds to a batch: key and value; documents count as nothing. */
function mutationBytes(mutation: Mutation<unknown>): number {
  const value = mutation.type === 'set' && mutation.value instanceof Uint8Array ? mutation.value.length : 0
  return mutation.key.length + value
}

type Limits = Pick<BatchCapability, 'maxItems' | 'maxBytes'>

function split<T>(
  items: readonly T[],
  limits: Limits,
  bytesOf: (item: T) => number,
): readonly (readonly T[])[] {
  const parts: T[][] = []
  let part: T[] = []
  let bytes = 0
  for (const item of items) {
    const more = bytesOf(item)
    if (part.length > 0 && (part.length >= limits.maxItems || bytes + more > limits.maxBytes)) {
      parts.push(part)
      part = []
      bytes = 0
    }
    part.push(item)
    bytes += more
  }
  parts.push(part)
  return parts
}
