import {
  type AnyLayer,
  type AnyStore,
  type CallOptions,
  json,
  keyValue,
  type Mutation,
  type Read,
  type Store,
  StoreError,
} from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { pause } from '@unikv/core/platform'
import {
  type Recovered,
  type RecoverOptions,
  type TransactionSettings,
  transactional,
  transactions,
} from '../src/index.ts'

/** The fault of a write. Of reads, only `crash` is one. */
export type Fault =
  /** The process is gone before it. */
  | 'crash'
  /** It takes effect, and the process is gone. */
  | 'crash after'
  /** It takes effect, and its answer is lost. */
  | 'lost reply'
  /** It does not arrive, and who sent it does not know. */
  | 'lost request'
  /** It arrives when all others have gone on. */
  | 'late effect'
  /** It takes two leases. */
  | 'slow'

export const faults: readonly Fault[] = [
  'crash after',
  'late effect',
  'lost reply',
  'crash',
  'lost request',
  'slow',
]

/** Of a transaction that nobody decides. */
export const leaseMs = 30

/** Never answers: what a process that is gone hears. */
const never = new Promise<never>(() => {})

/** The fault of a step, if it has one. */
export type Faults = (step: number) => Fault | undefined

/** A fault at one step alone. */
export function faultAt(at: number, fault: Fault): Faults {
  return (step) => (step === at ? fault : undefined)
}

/** The process ends at this step; before, it meets some faults of the other kinds. */
export function endingAt(at: number, random: () => number): Faults {
  const end = random() < 0.5 ? 'crash' : 'crash after'
  const others = faults.filter((one) => !one.startsWith('crash'))
  return (step) => {
    if (step === at) return end
    return random() < 0.05 ? others[Math.floor(random() * others.length)] : undefined
  }
}

/** What becomes of a mutation on its way, for faults that are planted. */
export type Change = (mutation: Mutation<unknown>) => Mutation<unknown>

/** One process in front of stores that others reach, too. */
export class Process {
  /** How many steps it has taken. */
  steps = 0
  /** Writes that arrive later. */
  readonly late: (() => unknown)[] = []
  /** Resolves when it is gone. */
  readonly gone: Promise<void>
  isGone = false
  #end: () => void = () => {}
  #stopped: Promise<void> | undefined
  readonly #faults: Faults
  readonly #change: Change

  constructor(faults: Faults = () => undefined, change: Change = (mutation) => mutation) {
    this.#faults = faults
    this.#change = change
    this.gone = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  /** The store as this process reaches it. */
  through<S extends AnyStore>(store: S): S {
    const take = this.take.bind(this)
    const { name, dataset, capabilities, native } = store
    return {
      name,
      dataset,
      capabilities,
      native,
      scan: (...args: Parameters<Store<unknown>['scan']>) => store.scan(...args),
      close: async () => {},
      read: (...args: Parameters<Store<unknown>['read']>) => take('read', async () => store.read(...args)),
      write: (mutations: readonly Mutation<unknown>[], call: CallOptions) =>
        take('write', async () => store.write(mutations.map(this.#change), call)),
      ...(store.together !== undefined && {
        together: (...args: Parameters<Together>) =>
          take('write', async () => (store as { readonly together: Together }).together(...args)),
      }),
    } as unknown as S
  }

  /** Hold all steps, as a process that was stopped. Returns what lets it go on. */
  stop(): () => void {
    let goOn = (): void => {}
    this.#stopped = new Promise((resolve) => {
      goOn = resolve
    })
    return goOn
  }

  /** A step that this process takes. */
  async take<T>(kind: 'read' | 'write', work: () => Promise<T>): Promise<T> {
    if (this.isGone) return never
    const fault = this.#faults(++this.steps)
    if (this.#stopped !== undefined) await this.#stopped
    if (fault === 'crash' || (kind === 'read' && fault === 'crash after')) return this.crash()
    if (fault === undefined || kind === 'read') return this.#alive(work())
    return this.#failed(fault, work)
  }

  /** It is gone. */
  crash(): Promise<never> {
    this.isGone = true
    this.#end()
    return never
  }

  async #failed<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
    if (fault === 'slow') return pause(2 * leaseMs).then(work)
    if (fault === 'late effect') this.late.push(work)
    else if (fault !== 'lost request') await work()
    if (fault === 'crash after') return this.crash()
    throw new StoreError('OUTCOME_UNKNOWN', 'The answer was lost.')
  }

  async #alive<T>(work: Promise<T>): Promise<T> {
    const answer = await work
    return this.isGone ? never : answer
  }
}

type Together = NonNullable<Store<unknown>['together']>

/** Stores that several processes reach, and the layers above them. */
export interface Shared {
  readonly red: AnyStore
  readonly blue: AnyStore
  readonly log: AnyStore
  /** Above `transactional`, below the codec: those of one process. @default none */
  readonly layers?: () => readonly AnyLayer[]
  /** @default that of the tests, which is short */
  readonly leaseMs?: number
}

export function sharedMemory(): Shared {
  return { red: memory(), blue: memory(), log: memory() }
}

/** Verbs in place of those of a store: each gets the call that they would make, and its items. */
export interface Verbs {
  readonly read?: (go: () => unknown, items: readonly Read[]) => unknown
  readonly write?: (go: () => unknown, items: readonly Mutation<unknown>[]) => unknown
}

/** The same store with other verbs. */
export function withVerbs<S extends AnyStore>(store: S, { read, write }: Verbs): S {
  const { name, dataset, capabilities, native } = store
  return {
    name,
    dataset,
    capabilities,
    native,
    scan: (...args: Parameters<Store<unknown>['scan']>) => store.scan(...args),
    close: async () => {},
    read: async (items: readonly Read[], call: CallOptions) =>
      (read ?? ((go) => go()))(() => store.read(items, call), items),
    write: async (items: readonly Mutation<unknown>[], call: CallOptions) =>
      (write ?? ((go) => go()))(() => store.write(items, call), items),
  } as unknown as S
}

/** The error of some work; `undefined`: it has none. */
export async function errorOf(
  work: () => unknown,
): Promise<(Error & { readonly code?: string }) | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** What one process has of them. */
export function opened(
  { red, blue, log, layers = () => [], leaseMs: own = leaseMs }: Shared,
  process: Process = new Process(),
  lease: number = own,
) {
  const logKv = keyValue(process.through(log as MemoryStore), [json()])
  const of = (store: AnyStore) =>
    keyValue(process.through(store as MemoryStore), [
      json<number>(),
      ...(layers() as []),
      transactional({ log: logKv, leaseMs: lease }),
    ])
  const stores = { red: of(red), blue: of(blue), log: logKv }
  return { ...stores, db: transactions(stores) }
}

/** The stores of one process, and their transactions. */
export type Opened = ReturnType<typeof opened>

/** A change of one record in each store, by an attempt that has the last word. */
export async function both({ db }: Opened, settings = {}): Promise<void> {
  await db.run(async (tx) => {
    const [a, b] = await Promise.all([tx.red.get('a'), tx.blue.get('a')])
    await tx.red.set('a', (a ?? 0) - 1)
    await tx.blue.set('a', (b ?? 0) + 1)
  }, settings)
}

/** Stores of which one has other verbs for this process. */
export function through(name: 'red' | 'blue' | 'log', verbs: Verbs, shared: Shared = sharedMemory()): Opened {
  return opened({ ...shared, [name]: withVerbs(shared[name], verbs) })
}

/** Any store here has what this one has. */
export type MemoryStore = ReturnType<typeof memory>

/** Records of one store, as tests use them. */
interface Place {
  get(key: string): Promise<unknown>
  set(key: string, value: never): Promise<unknown>
}

/** Records of one store inside of a transaction. */
interface Seen extends Place {
  scan(): Promise<(readonly [string, unknown])[]>
}

/** What one process has: another way to the same records may stand in its place. */
export interface Way {
  readonly red: Place
  readonly blue: Place
  readonly db: {
    run<R>(
      work: (tx: { readonly red: Seen; readonly blue: Seen }) => Promise<R>,
      settings?: TransactionSettings,
    ): Promise<R>
    recover(options?: RecoverOptions): Promise<Recovered>
  }
}

/** Opens what one process has. */
export type Opening = (shared: Shared, process?: Process) => Way

/** Leave work alone whose process is gone. It fails at its deadline, perhaps while another test runs. */
export function abandon(work: Promise<unknown>): void {
  work.catch(() => {})
}
