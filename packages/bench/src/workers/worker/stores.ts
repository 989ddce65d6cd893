import { type Bytes, type KeyValue, keyValue, type Store, StoreError } from '@unikv/core'
import { Clients, partOfPlan } from '../../drive/clients.ts'
import { isShared } from '../../drive/opened.ts'
import type { JobData, JobStore } from '../queue/job.ts'
import type { OpenStore } from './options.ts'

/** An open store, and a namespace in it. */
export interface Place {
  readonly store: Store<Bytes>
  readonly keys: KeyValue<string, Bytes>
}

/** The stores that a worker opened for one session. */
export class Stores {
  readonly session: string
  readonly #open: OpenStore
  readonly #urls: ReadonlyMap<string, string>
  readonly #worker: string
  readonly #opened = new Map<string, Promise<Store<Bytes>>>()
  readonly #clients = new Map<string, Promise<Clients>>()
  readonly #shared = new Set<string>()
  readonly #objects = new Map<string, Promise<readonly Bytes[]>>()

  /** @param urls the worker's own, by the names of stores */
  constructor(session: string, open: OpenStore, urls: ReadonlyMap<string, string>, worker: string) {
    this.session = session
    this.#open = open
    this.#urls = urls
    this.#worker = worker
  }

  /**
   * The store of a job, and the namespace of its records.
   *
   * @throws {StoreError} if there is no URL to open, or if the records of the manager are not there
   */
  async place({ store }: JobData): Promise<Place> {
    const opened = await this.#store(store)
    const all: KeyValue<string, Bytes> = keyValue(opened, [], { timeoutMs: store.timeoutMs, coalesce: false })
    const keys = store.namespace.reduce((within, name) => within.namespace(name), all)
    const name = JSON.stringify([store.name, store.namespace])
    if (!this.#shared.has(name) && !(await isShared(keys))) throw notShared(this.#worker, store)
    this.#shared.add(name)
    return { store: opened, keys }
  }

  /** The callers of a worker's share, alike in all jobs of a store. */
  clients({ store, share }: JobData): Promise<Clients> {
    const key = JSON.stringify([store.name, store.namespace, share])
    const found = this.#clients.get(key) ?? this.#openClients(store, share)
    this.#clients.set(key, found)
    return found
  }

  async #openClients(job: JobStore, share: JobData['share']): Promise<Clients> {
    const again = { nodes: [], nodeOf: () => undefined, open: () => this.#openNow(job) }
    const store = await this.#store(job)
    return Clients.open({ ...partOfPlan(job.plan, share), ...job, store, again })
  }

  /** Objects that `load` fetches once for each size and count. */
  objects(size: number, count: number, load: () => Promise<readonly Bytes[]>): Promise<readonly Bytes[]> {
    const key = `${size} ${count}`
    const found = this.#objects.get(key) ?? load()
    this.#objects.set(key, found)
    return found
  }

  async close(): Promise<void> {
    for (const one of await Promise.allSettled(this.#clients.values()))
      if (one.status === 'fulfilled') await one.value.close().catch(() => {})
    const all = await Promise.allSettled(this.#opened.values())
    for (const one of all) if (one.status === 'fulfilled') await one.value.close().catch(() => {})
  }

  async #store(store: JobStore): Promise<Store<Bytes>> {
    const found = this.#opened.get(store.name) ?? this.#openNow(store)
    this.#opened.set(store.name, found)
    return found
  }

  async #openNow({ name, url, shown, options }: JobStore): Promise<Store<Bytes>> {
    const own = this.#urls.get(name)
    if (own === undefined && url === null) throw noUrl(this.#worker, name, shown)
    const place = own ?? (url as string)
    return await this.#open(place, /[?&]dataset=/.test(place) ? {} : options)
  }
}

function noUrl(worker: string, name: string, shown: string): StoreError {
  const message = `Worker ${worker} does not know the URL of the store ${name}: it may hold a password, which does not travel. Start the worker with --store ${name}=URL, where the URL is that of ${shown} with its password.`
  return new StoreError('INVALID_CONFIG', message)
}

function notShared(worker: string, { name, shown }: JobStore): StoreError {
  const message = `Worker ${worker} does not find the records of this run in the store ${name} (${shown}): it opened another place, or a store that keeps its records in one process or on one machine. Give all workers the same store, or leave out --workers.`
  return new StoreError('UNSUPPORTED', message)
}
