import type {
  Bytes,
  CallOptions,
  Mutation,
  Page,
  Read,
  ReadResult,
  ScanRange,
  Store,
  WriteResult,
} from '@unikv/core'
import { callOptions, datasetName, movingPages, Opening } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { capabilitiesOf, type HbaseCapabilities, type HbaseDurability } from './capabilities.ts'
import { columnsOf } from './client/cells.ts'
import { Gateway } from './client/gateway.ts'
import { type HbaseRest, RestClient } from './client/rest-client.ts'
import type { Lane } from './lane.ts'
import { type HbaseOptions, type HbaseSettings, settingsOf } from './options.ts'
import { read } from './read.ts'
import { Remains } from './remains.ts'
import { scan } from './scan.ts'
import { openTable } from './table.ts'
import { encodeWrite, write } from './write.ts'

/** The HBase store that these options make. */
export type HbaseStore<O extends HbaseOptions = HbaseOptions> = Store<
  Bytes,
  HbaseCapabilities<DurabilityOf<O>>,
  HbaseRest
>

type DurabilityOf<O> = O extends { readonly durability: infer D extends HbaseDurability }
  ? D
  : 'durability' extends keyof O
    ? HbaseDurability
    : 'buffered'

/**
 * Rows of a table in HBase, by its REST gateway. Nothing is connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function hbase<const O extends HbaseOptions>(options: O): HbaseStore<O> {
  return new RowStore(settingsOf(options)) as unknown as HbaseStore<O>
}

/**
 * Make the table of these options, if it is missing. What `prepare: true` does on first use, for deployments where the
 * application may not create tables.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is a table of this name that is not ours, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareHbase(options: HbaseOptions): Promise<void> {
  const store = new RowStore({ ...settingsOf(options), prepare: true })
  try {
    await store.open()
  } finally {
    await store.close()
  }
}

/** Longest time that looking at the table, and making it, may take. */
const openTimeoutMs = 60_000

class RowStore implements Store<Bytes, HbaseCapabilities, HbaseRest> {
  readonly name: string
  readonly dataset: string
  readonly capabilities: HbaseCapabilities
  readonly native: RestClient
  readonly #lane: Lane
  readonly #remains = new Remains(() => this.#lane)
  readonly #opening: Opening<Lane>

  constructor(settings: HbaseSettings) {
    const { name, durability, maxValueBytes, dataset, family, clock, connectionLimit } = settings
    this.name = name
    this.dataset = datasetName('hbase', settings.url.host, settings.table, dataset)
    this.capabilities = capabilitiesOf(durability, maxValueBytes)
    this.native = new RestClient(settings)
    const gateway = new Gateway(this.native, settings)
    const prefix = `${dataset}:`
    this.#lane = {
      gateway,
      columns: columnsOf(family),
      family,
      prefix,
      rowOf: (key) => Buffer.from(prefix + key),
      clock,
      width: Math.max(1, Math.floor(connectionLimit / 2)),
      remains: this.#remains,
    }
    this.#opening = new Opening(
      async () => {
        await openTable(gateway, settings, callOptions({ deadlineAt: performance.now() + openTimeoutMs }))
        return this.#lane
      },
      async () => {
        await this.#remains.stop()
      },
    )
  }

  /** See that the table is there, once. */
  open(): Promise<Lane> {
    return this.#opening.open()
  }

  read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const { ready } = this.#opening
    return ready === undefined
      ? this.#opening.opened(call).then((lane) => read(lane, reads, call))
      : read(ready, reads, call)
  }

  write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const { ready } = this.#opening
    const pending = encodeWrite(this.#lane, mutations)
    return ready === undefined
      ? this.#opening.opened(call).then((lane) => write(lane, pending, call))
      : write(ready, pending, call)
  }

  async *scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<Bytes>> {
    const lane = this.#opening.ready ?? (await this.#opening.opened(call))
    yield* movingPages(this.name, true, range, scan(lane, range, call))
  }

  async close(): Promise<void> {
    const closing = this.#opening.close()
    this.native.close()
    await closing
  }
}
