import {
  type Bytes,
  type CallOptions,
  type Capabilities,
  type Entry,
  isStoreError,
  type Mutation,
  type Page,
  type Read,
  type ReadResult,
  type ScanRange,
  type Store,
  type StoreError,
  type WriteResult,
} from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { ControlledRequests, type Random } from '@unikv/test-kit/schedules'

/** A memory store each record of which is read and written at a moment of its own, and answered later, or fails. */
export class ControlledStore {
  readonly requests: ControlledRequests
  readonly #inner: MemoryStore

  constructor(random: Random, clock: () => number) {
    this.#inner = memory({ clock })
    this.requests = new ControlledRequests({ random, failureShares: [0, 0, 0.02, 0.1, 0.3] })
  }

  /** The store as one process sees it. */
  open(capabilities: Partial<Capabilities>): ProcessStore {
    return new ProcessStore(this, { ...this.#inner.capabilities, sync: 'none', ...capabilities })
  }

  read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const one = (read: Read) => () => {
      const [result] = this.#inner.read([read], call) as readonly ReadResult<Bytes>[]
      return result
    }
    return Promise.all(reads.map((read) => this.requests.read(one(read)).catch(itemError)))
  }

  write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    call.sent = true
    const one = (mutation: Mutation<Bytes>) => () => {
      const [result] = this.#inner.write([mutation], call) as readonly [WriteResult]
      return result
    }
    return Promise.all(mutations.map((mutation) => this.requests.write(one(mutation)).catch(itemError)))
  }

  scan(range: ScanRange, call: CallOptions): Iterable<Page<Bytes>> {
    return this.#inner.scan(range, call) as Iterable<Page<Bytes>>
  }

  /** All that is there now. */
  get present(): ReadonlyMap<string, Entry<Bytes>> {
    return this.#inner.native
  }
}

/** A request that failed, as the result of its item. */
function itemError(error: unknown): StoreError {
  if (isStoreError(error)) return error
  throw error
}

const never = new Promise<never>(() => {})

/** What a process holds of the store: nothing any more once it was killed. */
export class ProcessStore implements Store<Bytes> {
  readonly name = 'controlled'
  readonly capabilities: Capabilities
  readonly native = undefined
  #isKilled = false
  readonly #store: ControlledStore

  constructor(store: ControlledStore, capabilities: Capabilities) {
    this.#store = store
    this.capabilities = capabilities
  }

  /** What was sent goes on; nothing else is ever sent, and no answer comes. */
  kill(): void {
    this.#isKilled = true
  }

  async read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const results = this.#isKilled ? await never : await this.#store.read(reads, call)
    return this.#isKilled ? never : results
  }

  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const results = this.#isKilled ? await never : await this.#store.write(mutations, call)
    return this.#isKilled ? never : results
  }

  scan(range: ScanRange, call: CallOptions): Iterable<Page<Bytes>> {
    return this.#store.scan(range, call)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
