import { isStoreError, isWritten, type Mutation, newVersion, StoreError, type Version } from '@unikv/core'
import { markKey, type Place } from '../places/place.ts'
import { retried, type Ways } from '../ways.ts'
import { type FoundMark, type Mark, readMark, valueOf } from './mark.ts'
import { callOf } from './writer.ts'

/**
 * The mark that this process keeps in a target. A process that resumes or overwrites takes it over: this one learns of it at its
 * next change, and must not write any more.
 */
export class OwnMark {
  readonly #place: Place
  readonly #ways: Ways
  /** The version that is in the target. `null`: there is none. */
  #version: Version | null | undefined
  value: Mark

  private constructor(place: Place, ways: Ways, value: Mark, found: FoundMark | undefined) {
    this.#place = place
    this.#ways = ways
    this.value = value
    this.#version = found === undefined ? null : found.version
  }

  /**
   * Put a mark into a place, in the place of the one that was found there.
   *
   * @throws {StoreError} `CONDITION_FAILED` if another process was faster
   */
  static async taken(place: Place, ways: Ways, value: Mark, found: FoundMark | undefined): Promise<OwnMark> {
    const own = new OwnMark(place, ways, value, found)
    await own.#set(value, ways)
    await own.check()
    return own
  }

  /** @throws {StoreError} `CONDITION_FAILED` if another process has taken it over */
  async check(): Promise<void> {
    this.#checkOwn(await readMark(this.#place, this.#ways))
  }

  /** @throws {StoreError} `CONDITION_FAILED` if another process has taken it over */
  async keep(value: Mark, ways: Ways = this.#ways): Promise<void> {
    this.value = value
    if (!this.#isSafe) await this.check()
    await this.#set(value, ways)
  }

  /** @throws {StoreError} `CONDITION_FAILED` if another process has taken it over */
  async remove(ways: Ways = this.#ways): Promise<void> {
    if (!this.#isSafe) await this.check()
    const mutation = { type: 'delete', key: markKey, version: newVersion(), ...this.#condition } as const
    if (await this.#written(mutation, ways)) return
    const found = await readMark(this.#place, ways)
    // The answer of an attempt before may have been lost.
    if (found === undefined) return
    this.#adopt(found)
    await this.remove(ways)
  }

  async #set(mark: Mark, ways: Ways): Promise<void> {
    const version = newVersion()
    const value = valueOf(this.#place, mark)
    const mutation = { type: 'set', key: markKey, value, version, ...this.#condition } as const
    const isSet = await this.#written(mutation, ways)
    const found = isSet ? undefined : await readMark(this.#place, ways)
    // The answer of an attempt before may have been lost.
    if (isSet || found?.version === version) {
      this.#version = version
      return
    }
    this.#adopt(found)
    await this.#set(mark, ways)
  }

  /** Whether a change was made. `false`: the target has another mark, or none. */
  async #written(mutation: Mutation<unknown>, ways: Ways): Promise<boolean> {
    const { store } = this.#place
    return retried(ways, async () => {
      const [result] = await store.write([mutation], callOf(ways))
      if (isStoreError(result)) throw result
      return result !== undefined && isWritten(result)
    })
  }

  /** Go on from a mark that this process wrote without learning of it. */
  #adopt(found: FoundMark | undefined): void {
    this.#checkOwn(found)
    this.#version = found?.version
  }

  get #isSafe(): boolean {
    return this.#place.store.capabilities.conditionalWrite && this.#version !== undefined
  }

  get #condition(): { readonly ifVersion?: Version | null } {
    const version = this.#version
    return this.#isSafe && version !== undefined ? { ifVersion: version } : {}
  }

  #checkOwn(found: FoundMark | undefined): void {
    if (found?.mark.id === this.value.id) return
    throw new StoreError(
      'CONDITION_FAILED',
      found === undefined
        ? 'The mark of this copy has gone from the target: its records were removed, or another process has ended the copy. This one has stopped.'
        : 'Another process has begun to fill this target, so this one has stopped.',
      { store: this.#place.store.name, operation: 'copy' },
    )
  }
}
