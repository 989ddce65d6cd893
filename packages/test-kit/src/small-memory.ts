import { type MemoryOptions, type MemoryStore, memory } from '@unikv/core/memory'

/**
 * Memory that declares values of at most 500,000 bytes. One that is too large for plain memory has 256 MiB, which layers
 * copy and encrypt before it is refused.
 */
export function smallMemory(options: MemoryOptions = {}): MemoryStore {
  const store = memory(options)
  return { ...store, capabilities: { ...store.capabilities, maxValueBytes: 500_000 } }
}
