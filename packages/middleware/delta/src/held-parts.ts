import type { Bytes, CallOptions, Mutation, ReadResult, Store } from '@unikv/core'
import { partNameOf } from './chain/parts.ts'
import { strongest } from './step.ts'

/** Most parts that wait for the head of their key; what is over is left to `sweepDeltas`. */
const mostHeld = 65_536

/**
 * Parts that somebody above wants deleted, as `clear` does. While its key has a head, a part stays: the head may name it,
 * or another one that is on its way, and the head may outlive this call. It goes when the head is deleted. Without a head it
 * may go at once: a head that names parts takes the place of another, so none will ever name it.
 */
export class HeldParts {
  readonly #inner: Store<Bytes>
  readonly #held = new Map<string, string[]>()
  #count = 0

  constructor(inner: Store<Bytes>) {
    this.#inner = inner
  }

  /** Those of these mutations that wait from now on. */
  async hold(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<Set<Mutation<Bytes>>> {
    const owners = new Map<string, Mutation<Bytes>[]>()
    for (const mutation of mutations) {
      const owner =
        mutation.type === 'delete' && mutation.ifVersion === undefined
          ? partNameOf(mutation.key)?.owner
          : undefined
      if (owner !== undefined) owners.set(owner, [...(owners.get(owner) ?? []), mutation])
    }
    const waiting = new Set<Mutation<Bytes>>()
    if (owners.size === 0) return waiting
    const heads = await this.#heads(Array.from(owners.keys()), call)
    for (const [i, [owner, parts]] of Array.from(owners).entries()) {
      if (heads !== undefined && heads[i] === undefined) continue
      for (const part of parts) waiting.add(part)
      this.#keep(
        owner,
        parts.map(({ key }) => key),
      )
    }
    return waiting
  }

  /** The parts that wait for the head of this key: it is gone. */
  take(owner: string): readonly string[] {
    const parts = this.#held.get(owner) ?? []
    this.#held.delete(owner)
    this.#count -= parts.length
    return parts
  }

  clear(): void {
    this.#held.clear()
    this.#count = 0
  }

  /** Whether there are heads; `undefined`: unknown. */
  async #heads(
    owners: readonly string[],
    call: CallOptions,
  ): Promise<readonly ReadResult<Bytes>[] | undefined> {
    try {
      const reads = owners.map((key) => ({ key, head: true }))
      return await this.#inner.read(reads, strongest(this.#inner, call))
    } catch {
      return undefined
    }
  }

  #keep(owner: string, parts: readonly string[]): void {
    const all = new Set([...this.take(owner), ...parts])
    this.#held.set(owner, Array.from(all))
    this.#count += all.size
    for (const [oldest] of this.#held) {
      if (this.#count <= mostHeld) break
      this.take(oldest)
    }
  }
}
