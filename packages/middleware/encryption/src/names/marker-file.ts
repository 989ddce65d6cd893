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
import { strongLevel } from '../strong-level.ts'
import { type Marker, markerKey, readMarker, writeMarker } from './marker.ts'

/** The marker of a dataset, read and replaced: by one rekey at a time where the store checks conditions. */
export class MarkerFile {
  readonly #store: Store<Bytes>
  #version: string | undefined

  constructor(store: Store<Bytes>) {
    this.#store = store
  }

  /** Version of the marker as it was last read or written. */
  get version(): string {
    return this.#version ?? ''
  }

  async read(): Promise<Marker | undefined> {
    const call = callOptions({ consistency: strongLevel(this.#store) })
    const [result] = await this.#store.read([{ key: markerKey }], call)
    if (isStoreError(result)) throw result
    this.#version = isEntry(result) ? result.version : undefined
    if (!isEntry(result)) return undefined
    return readMarker(result.value)
  }

  /** @throws {StoreError} `CONDITION_FAILED` where another rekey wrote it meanwhile */
  async write(marker: Marker): Promise<void> {
    const { conditionalWrite } = this.#store.capabilities
    if (!conditionalWrite) await this.checkUnchanged()
    const ifVersion = conditionalWrite ? this.#version : undefined
    const mutation = {
      type: 'set',
      key: markerKey,
      value: writeMarker(marker),
      version: newVersion(),
      ifVersion,
    } as const
    const [result] = await this.#store.write([mutation], callOptions())
    if (isStoreError(result)) throw result
    if (result === undefined || isConditionFailed(result)) throw overtaken()
    this.#version = result.version
  }

  /**
   * Refuse to go on when the marker is not as it was last read or written here. From then on it is never written
   * here again: it is that of the other rekey.
   *
   * @throws {StoreError} `CONDITION_FAILED`
   */
  async checkUnchanged(): Promise<void> {
    const expected = this.#version
    await this.read()
    if (this.#version === expected) return
    this.#version = expected
    throw overtaken()
  }
}

function overtaken(): StoreError {
  return new StoreError(
    'CONDITION_FAILED',
    'Another rekey of this dataset is under way, or was. Run it again when no other one runs.',
  )
}
