import { type Bytes, compose, type Store, StoreError } from '@unikv/core'
import {
  attempt,
  callOptions,
  checkFactoryOptions,
  checkMs,
  checkOneOf,
  checkPositive,
} from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import { checkTypes } from '../checks.ts'
import { sharedTable } from '../envelope/associated-data.ts'
import { kindsUnder } from '../envelope/kinds.ts'
import { sealingTable } from '../envelope/sealing-options.ts'
import { vaultOf } from '../vaults/vault-of.ts'
import type { Marker } from './marker.ts'
import { MarkerFile } from './marker-file.ts'
import { believedMs } from './name-guard.ts'
import { maxTrueKeyBytes } from './named-records.ts'
import { Naming } from './naming.ts'
import type { RekeyOptions, RekeyReport } from './rekey-options.ts'
import { RekeyWalk } from './rekey-walk.ts'

/** Writers that never stop would keep it from its end. */
const maxPasses = 50
const longestCallMs = 5_000

const optionNames: Record<keyof RekeyOptions, unknown> = {
  ...sharedTable,
  ...sealingTable,
  keys: true,
  from: true,
  to: true,
  finish: true,
  unreadable: true,
  settleMs: true,
  pageSize: true,
  signal: true,
  onProgress: true,
}

/**
 * Give a dataset another name key: every record gets a copy under its new name, then the dataset is handed over, then
 * the old names go. It can be killed at any time and run again.
 *
 * `store` is what stands below `encryption`. The steps, and what readers and writers have to do in the meantime, are
 * in the README.
 *
 * ```ts
 * const settings = { dataset: 'users', keys, from: former, to: names }
 * await rekey(store, settings)
 * await rekey(store, { ...settings, finish: true })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` if the dataset has neither of the name keys, `UNSUPPORTED` for a store that
 * lists nothing or has no versions, `CONDITION_FAILED` when another run has taken over, `ABORTED`, and what the store, a
 * service or a record that does not open fails with
 */
export async function rekey(
  store: Store<Bytes>,
  options: RekeyOptions = {} as RekeyOptions,
): Promise<RekeyReport> {
  checkFactoryOptions('rekey', options, optionNames)
  checkSettings(options)
  if (store.capabilities.scan === false)
    throw new StoreError('UNSUPPORTED', 'rekey() lists all records, which this store cannot do.')
  return new Rekey(compose(store, []), options).run()
}

function checkSettings({ settleMs, pageSize = 100, finish, unreadable, onProgress }: RekeyOptions): void {
  checkMs({ settleMs }, { least: 0 })
  checkPositive({ pageSize })
  checkTypes('boolean', { finish })
  checkOneOf('unreadable', unreadable, ['refuse', 'leave'])
  checkTypes('function', { onProgress })
}

class Rekey {
  readonly #options: RekeyOptions
  readonly #marker: MarkerFile
  readonly #walk: RekeyWalk
  readonly #from: Buffer
  readonly #to: Buffer

  constructor(store: Store<Bytes>, options: RekeyOptions) {
    const { keys, dataset, kind = 'value', codec, context } = options
    const at = { keys, dataset, kind, kindOf: kindsUnder(kind), codec, context }
    const { algorithm, padding, chunkAboveBytes, chunkBytes } = options
    const vault = vaultOf({ ...at, algorithm, padding, chunkAboveBytes, chunkBytes, maxTrueKeyBytes })
    const names = { from: new Naming(options.from, dataset), to: new Naming(options.to, dataset) }
    this.#options = options
    this.#from = names.from.check
    this.#to = names.to.check
    if (this.#from.equals(this.#to))
      throw new StoreError('INVALID_CONFIG', 'from and to are the same name key.')
    this.#marker = new MarkerFile(store)
    const checkTurn = (): Promise<void> => this.#marker.checkUnchanged()
    this.#walk = new RekeyWalk(store, { ...names, vault, options, checkTurn })
  }

  async run(): Promise<RekeyReport> {
    const marker = await this.#marker.read()
    if (marker === undefined) throw noMarker()
    if (!this.#isHandedOver(marker)) {
      await this.#beginOrGoOn(marker)
      if (this.#options.finish === true) await this.#finish()
      else await this.#walk.copy('copy')
    }
    const finished = this.#isHandedOver((await this.#marker.read()) ?? marker)
    if (finished) {
      // Readers that have not noticed yet find what they look for: what is old, instead of nothing.
      await this.#settle()
      await this.#walk.removeOld(this.#marker.version)
    }
    return { ...this.#walk.report, finished }
  }

  #isHandedOver(marker: Marker): boolean {
    return marker.state === 'settled' && marker.check.equals(this.#to)
  }

  /** A run that was killed while it closed is begun again, open to writers. */
  async #beginOrGoOn(marker: Marker): Promise<void> {
    if (!marker.check.equals(this.#from)) throw otherNames()
    if (marker.state !== 'settled' && !marker.next.equals(this.#to)) throw otherRekey()
    // Also where it says so already: a run that still goes on somewhere ends then.
    await this.#set('copying')
  }

  async #finish(): Promise<void> {
    // Most of it while writers go on, so that they are stopped for a moment alone.
    await this.#walk.copy('copy')
    await this.#set('closing')
    try {
      await this.#settle()
      await this.#untilNothingChanges()
      this.#refuseUnreadable()
    } catch (error) {
      await this.#set('copying').catch(() => {})
      throw error
    }
    await this.#marker.write({ state: 'settled', check: this.#to })
  }

  async #settle(): Promise<void> {
    const { settleMs = believedMs + longestCallMs, signal } = this.#options
    if (settleMs <= 0) return
    const call = signal === undefined ? callOptions() : callOptions({ signal })
    await attempt(call, false, (ended) => pause(settleMs, { signal: ended }))
  }

  async #untilNothingChanges(): Promise<void> {
    for (let pass = 0; pass < maxPasses; pass++) if ((await this.#walk.copy('close')) === 0) return
    throw new StoreError(
      'UNAVAILABLE',
      'Records kept changing although the dataset was closed: stop its writers.',
    )
  }

  #refuseUnreadable(): void {
    const { firstError } = this.#walk
    const { unreadable } = this.#walk.report
    if (firstError === undefined || this.#options.unreadable === 'leave') return
    throw new StoreError(
      firstError.code,
      `${unreadable} records do not open, and so cannot be named anew. Make them readable or delete them, or leave them with unreadable: 'leave'.`,
      { cause: firstError },
    )
  }

  #set(state: 'copying' | 'closing'): Promise<void> {
    return this.#marker.write({ state, check: this.#from, next: this.#to })
  }
}

function noMarker(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'This dataset has no marker of hashed key names. Write to it once with the name key that it has.',
  )
}

function otherNames(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'The key names of this dataset are hashed under neither of the two name keys.',
  )
}

function otherRekey(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'A rekey of this dataset to another name key has begun: finish that one first.',
  )
}
