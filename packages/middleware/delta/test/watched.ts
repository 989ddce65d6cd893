import { type Bytes, type Capabilities, type Mutation, type Read, type Store, StoreError } from '@unikv/core'
import { isUserKey } from '@unikv/core/adapter'
import { type MemoryCapabilities, type MemoryOptions, type MemoryStore, memory } from '@unikv/core/memory'

/** What a test says a write is to end with. */
export type Fate = 'lost' | 'refused' | undefined

/** A memory store that notes what is asked of it, and may lose answers. */
export class Watched implements Store<Bytes, MemoryCapabilities> {
  readonly name = 'watched'
  readonly native = undefined
  readonly capabilities: MemoryCapabilities
  readonly inner: MemoryStore
  readonly reads: (readonly Read[])[] = []
  readonly writes: (readonly Mutation<Bytes>[])[] = []
  /** How a mutation ends: applied and then `lost`, or `refused`. */
  fate: (mutation: Mutation<Bytes>) => Fate = () => undefined
  /** Awaited before each read. */
  beforeRead: (reads: readonly Read[]) => Promise<void> | void = () => {}
  /** Awaited before each write. */
  beforeWrite: (mutations: readonly Mutation<Bytes>[]) => Promise<void> | void = () => {}

  constructor(options: MemoryOptions = {}, changed: Partial<Capabilities> = {}) {
    this.inner = memory(options)
    this.capabilities = { ...this.inner.capabilities, ...changed } as MemoryCapabilities
  }

  read: Store<Bytes>['read'] = async (reads, call) => {
    await this.beforeRead(reads)
    this.reads.push(reads)
    return this.inner.read(reads, call)
  }

  write: Store<Bytes>['write'] = async (mutations, call) => {
    await this.beforeWrite(mutations)
    this.writes.push(mutations)
    const results = await Promise.all(
      mutations.map(async (mutation) => {
        const fate = this.fate(mutation)
        if (fate === 'refused') return new StoreError('UNAVAILABLE', 'The test says so.')
        const [result] = await this.inner.write([mutation], call)
        return fate === 'lost' ? new StoreError('OUTCOME_UNKNOWN', 'The test says so.') : result
      }),
    )
    return results as Awaited<ReturnType<Store<Bytes>['write']>>
  }

  scan: Store<Bytes>['scan'] = (range, call) => this.inner.scan(range, call)
  close = (): Promise<void> => this.inner.close()

  /** Keys of all internal records. */
  get parts(): string[] {
    return Array.from(this.inner.native.keys()).filter((key) => !isUserKey(key))
  }

  /** Bytes of all values written since the last `forget`. */
  get writtenBytes(): number {
    return this.writes
      .flat()
      .reduce((sum, mutation) => sum + (mutation.type === 'set' ? mutation.value.length : 0), 0)
  }

  forget(): void {
    this.reads.length = 0
    this.writes.length = 0
  }
}
