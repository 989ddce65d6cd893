import type {
  Bytes,
  CallOptions,
  Capabilities,
  Entry,
  Mutation,
  Page,
  Read,
  ReadResult,
  ScanRange,
  Store,
  WriteResult,
} from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { ControlledRequests, type Random } from '@unikv/test-kit/schedules'

/** What a schedule decides about a store. */
export interface ControlledStoreOptions {
  readonly name: string
  readonly random: Random
  readonly clock: () => number
  /** How long after its lost answer a write may still take effect. */
  readonly doubtMs: number
  readonly capabilities?: Partial<Capabilities>
}

/** A memory store each call of which takes effect as a whole, at one moment, and is answered at a later one, or fails. */
export class ControlledStore implements Store<Bytes> {
  readonly name: string
  readonly capabilities: Capabilities
  readonly native = undefined
  readonly requests: ControlledRequests
  readonly #inner: MemoryStore

  constructor({ name, random, clock, doubtMs, capabilities }: ControlledStoreOptions) {
    const doubtUntil = (): number => clock() + doubtMs
    this.name = name
    this.#inner = memory({ name, clock })
    this.requests = new ControlledRequests({
      random,
      failureShares: [0, 0, 0, 0.02, 0.1, 0.4],
      doubtUntil,
    })
    this.capabilities = { ...this.#inner.capabilities, sync: 'none', ...capabilities }
  }

  read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    return this.requests.read(() => this.#inner.read(reads, call) as readonly ReadResult<Bytes>[])
  }

  write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    return this.requests.write(() => this.#inner.write(mutations, call) as readonly WriteResult[])
  }

  scan(range: ScanRange, call: CallOptions): Iterable<Page<Bytes>> {
    return this.#inner.scan(range, call) as Iterable<Page<Bytes>>
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  /** What a key holds now. */
  present(key: string): Entry<Bytes> | undefined {
    const [found] = this.#inner.read([{ key }], { deadlineAt: Infinity }) as readonly ReadResult<Bytes>[]
    return found as Entry<Bytes> | undefined
  }
}
