import {
  type Bytes,
  isConditionFailed,
  isEntry,
  isStoreError,
  newVersion,
  type Store,
  StoreError,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type Marker, markerKey, readMarker, writeMarker } from './marker.ts'

/** The marker of a dataset, read and replaced: by one rekey at a time where the store checks conditions. */
export class MarkerFile {
  readonly #store: Store<Bytes>
  #version: string | undefined

  constructor(store: Store<Bytes>) {
    this.#store = store
  }

  /** Of the marker as it was last read or written. */
  get version(): string {
    return this.#version ?? ''
  }

  async read(): Promise<Marker | undefined> {
    const [result] = await this.#store.read([{ key: markerKey }], callOptions())
    if (isStoreError(result)) throw result
    if (!isEntry(result)) return undefined
    this.#version = result.version
    return readMarker(result.value)
  }

  async write(marker: Marker): Promise<void> {
    const ifVersion = this.#store.capabilities.conditionalWrite ? this.#version : undefined
    const mutation = {
      type: 'set',
      key: markerKey,
      value: writeMarker(marker),
      version: newVersion(),
      ifVersion,
    } as const
    const [result] = await this.#store.write([mutation], callOptions())
    if (isStoreError(result)) throw result
    if (result === undefined || isConditionFailed(result))
      throw new StoreError('CONDITION_FAILED', 'Another rekey of this dataset is under way.')
    this.#version = result.version
  }
}
