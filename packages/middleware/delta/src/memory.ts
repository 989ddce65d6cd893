import { inlineBytesOf, type Known } from './chain/chain.ts'

/** About what an entry takes besides its bytes. */
const entryBytes = 512

/** The last known values, the least recently used of which goes first. */
export class Memory {
  readonly #maxBytes: number
  readonly #entries = new Map<string, Known>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#bytes
  }

  get(key: string): Known | undefined {
    const known = this.#entries.get(key)
    if (known === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, known)
    return known
  }

  /** Keep this instead of what was known of the key. Values longer than a quarter of all room are not kept. */
  put(key: string, known: Known): boolean {
    this.forget(key)
    const bytes = bytesOf(key, known)
    if (bytes > this.#maxBytes / 4) return false
    this.#entries.set(key, known)
    this.#bytes += bytes
    for (const [oldest] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break
      this.forget(oldest)
    }
    return true
  }

  forget(key: string): void {
    const known = this.#entries.get(key)
    if (known === undefined) return
    this.#entries.delete(key)
    this.#bytes -= bytesOf(key, known)
  }

  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
  }
}

function bytesOf(key: string, { value, chain }: Known): number {
  const inline = chain === undefined ? 0 : inlineBytesOf(chain.inline) + 64 * chain.records.length
  return entryBytes + 2 * key.length + value.length + inline
}
