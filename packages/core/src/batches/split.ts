import type { BatchCapability } from '../contract/capabilities.ts'
import type { Mutation, Read } from '../contract/store.ts'
import { isBytes } from '../platform/realms.ts'

/** Cut a batch at the adapter's limits, in order. An item over the byte limit goes alone. */
export function split<T>(
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

type Item = Read | Mutation<unknown>
type Limits = Pick<BatchCapability, 'maxItems' | 'maxBytes'>

/** Bytes that an item adds to a batch: key and value; documents count as nothing. */
export function itemBytes(item: Item): number {
  const value = 'value' in item && isBytes(item.value) ? item.value.length : 0
  return item.key.length + value
}
