/** What `RecentlyUsed` keeps, with its links to those used before and after it. */
export interface Linked<T> {
  readonly key: string
  /** As accounted for. */
  readonly bytes: number
  newer: T | undefined
  older: T | undefined
}

/**
 * Entries by key, within bounds of count and bytes: those that were used longest ago make room. A map, and a list
 * through the entries themselves in the order of their use, so that a hit moves some links and allocates nothing.
 */
export class RecentlyUsed<T extends Linked<T>> {
  readonly #entries = new Map<string, T>()
  readonly #maxEntries: number
  readonly #maxBytes: number
  readonly #evicted: () => void
  #newest: T | undefined
  #oldest: T | undefined
  #bytes = 0

  /** `evicted` is called for each entry that had to make room. */
  constructor(bounds: { readonly maxEntries: number; readonly maxBytes: number }, evicted: () => void) {
    this.#maxEntries = bounds.maxEntries
    this.#maxBytes = bounds.maxBytes
    this.#evicted = evicted
  }

  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The entry of a key, which is thereby the one used last. */
  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry?.newer !== undefined) this.#renew(entry)
    return entry
  }

  /** The entry of a key, without using it. */
  peek(key: string): T | undefined {
    return this.#entries.get(key)
  }

  /** Keep an entry in place of any other of its key. One that is larger than all bytes there may be is not kept. */
  set(entry: T): void {
    this.delete(entry.key)
    if (entry.bytes > this.#maxBytes) return
    this.#entries.set(entry.key, entry)
    this.#bytes += entry.bytes
    this.#link(entry)
    while (this.#entries.size > this.#maxEntries || this.#bytes > this.#maxBytes) this.#evict()
  }

  /** Forget a key. */
  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
    this.#unlink(entry)
  }

  /** Forget everything. */
  clear(): void {
    this.#entries.clear()
    this.#newest = undefined
    this.#oldest = undefined
    this.#bytes = 0
  }

  #evict(): void {
    this.delete((this.#oldest as T).key)
    this.#evicted()
  }

  #renew(entry: T): void {
    this.#unlink(entry)
    this.#link(entry)
  }

  #link(entry: T): void {
    entry.newer = undefined
    entry.older = this.#newest
    if (this.#newest === undefined) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
  }

  #unlink(entry: T): void {
    const { newer, older } = entry
    if (newer === undefined) this.#newest = older
    else newer.older = older
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
  }
}
