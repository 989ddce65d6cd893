import { performance } from '@unikv/core/platform'
import { fastRandom, type Random } from '../../../random/random.ts'
import type { Client, Documents, SearchedDocument } from '../native/native-client.ts'
import { type Operation, type SideSample, Values } from './messages.ts'

const loaders = 16
/** Documents that a group has at most, and that is searched for. */
const groupSize = 100

/** The records of a side, and the operations on them. The number of records stays the same over a round of all of them. */
export class Work {
  readonly #client: Client<unknown>
  readonly #callers: number
  readonly #random: Random
  readonly #values: Values
  readonly #documents: Values
  #records = 0
  #inserted = 0
  #isStopped = false
  /** Keys that were inserted and not deleted yet. */
  readonly #doomed: string[] = []

  constructor(
    { client, values }: { readonly client: Client<unknown>; readonly values: Values },
    {
      callers,
      seed,
      valueSize,
    }: { readonly callers: number; readonly seed: number; readonly valueSize: number },
  ) {
    this.#client = client
    this.#callers = callers
    this.#random = fastRandom(seed)
    this.#values = values
    this.#documents = new Values('object', valueSize)
  }

  /** Begin no further call. */
  stop(): void {
    this.#isStopped = true
  }

  async load(from: number, to: number): Promise<void> {
    let next = from
    const lane = async (): Promise<void> => {
      while (next < to && !this.#isStopped) {
        const i = next++
        await this.#client.insert(keyOf(i), this.#values.next())
        await this.#client.documents?.add(keyOf(i), this.#document(i))
      }
    }
    await Promise.all(Array.from({ length: loaders }, lane))
    this.#records = to
  }

  async run(operation: Operation, durationMs: number): Promise<SideSample> {
    const times: number[] = []
    const endsAt = performance.now() + durationMs
    const caller = async (): Promise<void> => {
      do {
        const call = await this.#prepared(operation)
        const startedAt = performance.now()
        await call()
        times.push(performance.now() - startedAt)
      } while (performance.now() < endsAt && !this.#isStopped)
    }
    await Promise.all(Array.from({ length: this.#callers }, caller))
    return sampleOf(times)
  }

  /** The next call; what it needs is done before, and not measured. */
  async #prepared(operation: Operation): Promise<() => Promise<unknown>> {
    if (operation === 'read') {
      const key = this.#anyKey()
      return () => this.#client.read(key)
    }
    if (operation === 'search') {
      const group = groupOf(Math.floor(this.#random.next() * this.#records))
      return () => (this.#client.documents as Documents).search(group)
    }
    const value = this.#values.next()
    if (operation === 'update') {
      const key = this.#anyKey()
      return () => this.#client.update(key, value)
    }
    if (operation === 'delete') return this.#deletion(value)
    const key = `new${this.#inserted++}`
    this.#doomed.push(key)
    return () => this.#client.insert(key, value)
  }

  async #deletion(value: unknown): Promise<() => Promise<unknown>> {
    let key = this.#doomed.shift()
    if (key === undefined) {
      key = `new${this.#inserted++}`
      await this.#client.insert(key, value)
    }
    const doomed = key
    return () => this.#client.delete(doomed)
  }

  #document(i: number): SearchedDocument {
    return { group: groupOf(i), ...(this.#documents.next() as Readonly<Record<string, string>>) }
  }

  #anyKey(): string {
    return keyOf(Math.floor(this.#random.next() * this.#records))
  }
}

function keyOf(i: number): string {
  return `user${i}`
}

function groupOf(i: number): string {
  return `group${Math.floor(i / groupSize)}`
}

function sampleOf(times: number[]): SideSample {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number
  const meanMs = times.reduce((sum, one) => sum + one, 0) / times.length
  return { calls: times.length, meanMs, p50Ms: at(0.5), p99Ms: at(0.99) }
}
