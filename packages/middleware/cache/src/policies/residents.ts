import type { RemovalCause } from '../entry-options.ts'
import type { Bounds, Policy, PolicyFactory, Resident } from './policy.ts'

/** Entries by key, within bounds of count and bytes: a policy decides who makes room. */
export class Residents<T extends Resident> {
  readonly #entries = new Map<string, T>()
  readonly #bounds: Bounds
  readonly #make: PolicyFactory
  readonly #removed: (entry: T, cause: RemovalCause) => void
  #policy: Policy
  #bytes = 0
  #hasWarned = false

  /** `removed` is called for each entry that is gone. */
  constructor(
    bounds: Bounds,
    policy: PolicyFactory,
    removed: (entry: T, cause: RemovalCause) => void = () => {},
  ) {
    this.#bounds = bounds
    this.#make = policy
    this.#policy = policy(bounds)
    this.#removed = removed
  }

  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The entry of a key, which is thereby used. */
  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#policy.use(entry)
    return entry
  }

  /** The entry of a key, without using it. */
  peek(key: string): T | undefined {
    return this.#entries.get(key)
  }

  /** Keep an entry in place of any other of its key. One that is larger than all bytes there may be is not kept. */
  set(entry: T): void {
    this.delete(entry.key, 'replaced')
    const { maxEntries, maxBytes } = this.#bounds
    if (entry.bytes > maxBytes) return
    // Room is made before it comes: a policy must not choose an entry that is not here yet.
    while (this.#entries.size >= maxEntries || this.#bytes + entry.bytes > maxBytes) this.#evict()
    this.#entries.set(entry.key, entry)
    this.#bytes += entry.bytes
    this.#policy.add(entry)
  }

  /** Whether it fits without an eviction. */
  hasRoomFor({ bytes }: T): boolean {
    const { maxEntries, maxBytes } = this.#bounds
    return this.#entries.size < maxEntries && this.#bytes + bytes <= maxBytes
  }

  /** All of them, from who would make room last to who would first, as far as the policy tells. */
  hottest(): readonly T[] {
    const told = this.#policy.hottest?.()
    if (told === undefined) return Array.from(this.#entries.values()).reverse()
    const here: T[] = []
    for (const one of told) {
      if (this.#entries.get(one.key) === one) here.push(one as T)
      if (here.length === this.#entries.size) break
    }
    return here
  }

  /** Forget a key. */
  delete(key: string, cause: RemovalCause = 'removed'): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#remove(entry, cause)
  }

  /** Forget all keys that start with one of these. */
  deleteAll(prefixes: readonly string[]): void {
    for (const key of this.#entries.keys())
      if (prefixes.some((prefix) => key.startsWith(prefix))) this.delete(key)
  }

  /** Forget everything. */
  clear(): void {
    const gone = Array.from(this.#entries.values())
    this.#entries.clear()
    this.#bytes = 0
    this.#renewPolicy(gone)
    for (const entry of gone) this.#removed(entry, 'removed')
  }

  /** A policy of somebody's own that cannot be made anew goes on without these. */
  #renewPolicy(gone: readonly T[]): void {
    try {
      this.#policy = this.#make(this.#bounds)
    } catch {
      for (const entry of gone) this.#policy.remove(entry)
    }
  }

  #evict(): void {
    const victim = this.#policy.victim() as T
    // Otherwise the entry under this key would stay, and no eviction would ever make room.
    if (this.#entries.get((victim as T | undefined)?.key as string) === victim)
      this.#remove(victim, 'evicted')
    else this.#removeFirst()
  }

  /** A policy of somebody's own that is wrong must not hang or break those who read. */
  #removeFirst(): void {
    const [first] = this.#entries.values()
    this.#warn()
    this.#remove(first as T, 'evicted')
  }

  /** Once: it will choose wrong again. */
  #warn(): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    process.emitWarning(
      'A replacement policy chose an entry that is not in the cache; the first one made room.',
      { code: 'UNIKV_POLICY' },
    )
  }

  #remove(entry: T, cause: RemovalCause): void {
    this.#entries.delete(entry.key)
    this.#bytes -= entry.bytes
    this.#policy.remove(entry)
    this.#removed(entry, cause)
  }
}
