import { gunzipSync, gzipSync } from 'node:zlib'
import type { AnyResult } from '@unikv/bench'
import { type Bytes, isStoreError, type KeyValue, keyValue, StoreError, supports } from '@unikv/core'
import { maskUrl, open, splitUrl } from '@unikv/stores/lazy'
import { datasets } from '../datasets.ts'

/** A place for results in a store: its URL, and after `#` the name of one result. */
export interface ResultPlace {
  readonly url: string
  /** `undefined`: that of the run when a result is kept, the newest one when it is read. */
  readonly name: string | undefined
}

const namespace = 'unikv.results'
const newestKey = 'newest'
const trialKey = 'trial'
const prefix = 'result '
const keyOf = (name: string): string => `${prefix}${name}`

/** The place that a text names; `undefined` for the path of a folder. */
export function resultPlace(text: string): ResultPlace | undefined {
  const [, url = '', name] = /^([^#]*)(?:#(.*))?$/s.exec(text) ?? []
  // One letter is a drive, as in C:\results.
  if (!/^[a-z][a-z\d+.-]+:/i.test(url)) return undefined
  return { url, name: name === '' ? undefined : name }
}

/** The place as it is shown: without a password, and with the whole name. */
export function shownPlace(text: string): string {
  const place = resultPlace(text)
  if (place === undefined) return text
  return `${maskUrl(place.url)}${place.name === undefined ? '' : `#${place.name}`}`
}

/** Where results are kept; opened before anything is measured, so that a mistake is found first. */
export class KeptResults {
  readonly #place: ResultPlace
  readonly #all: KeyValue<string, Bytes>

  private constructor(place: ResultPlace, all: KeyValue<string, Bytes>) {
    this.#place = place
    this.#all = all
  }

  /**
   * Open the place of results that are there.
   *
   * @throws {StoreError} if the store cannot be reached, or keeps nothing
   */
  static open(text: string): Promise<KeptResults> {
    return KeptResults.#opened(text, false, (all) => all.get(newestKey))
  }

  /**
   * Open the place for a result that will be kept. Something is written and deleted for trial.
   *
   * @throws {StoreError} if the store cannot be reached, keeps nothing, or takes nothing
   */
  static openToKeep(text: string): Promise<KeptResults> {
    return KeptResults.#opened(text, true, async (all) => {
      await all.set(trialKey, new Uint8Array(1))
      await all.delete(trialKey)
    })
  }

  static async #opened(
    text: string,
    prepare: boolean,
    tried: (all: KeyValue<string, Bytes>) => Promise<unknown>,
  ): Promise<KeptResults> {
    const place = resultPlace(text)
    if (place === undefined) throw notAPlace(text)
    if (splitUrl(place.url).scheme === 'memory') throw forgetful()
    const hasDataset = /[?&]dataset=/.test(place.url)
    const store = await open(place.url, { prepare, ...(hasDataset ? {} : { dataset: datasets.results }) })
    const kept = new KeptResults(place, keyValue(store).namespace(namespace))
    try {
      await tried(kept.#all)
    } catch (error) {
      await kept.close().catch(() => {})
      if (!prepare && isStoreError(error) && error.code === 'NOT_PREPARED') throw kept.#none(place.name)
      throw error
    }
    return kept
  }

  /**
   * Keep a result, in the place of an earlier one of that name. A result that cannot be compared, as its run was
   * interrupted, say, has the name of its run instead: no baseline is replaced by it. Returns where it can be found.
   */
  async keep(result: AnyResult): Promise<string> {
    const isWhole = result.status === 'complete' || result.status === 'crossed'
    const name = (isWhole ? this.#place.name : undefined) ?? result.runId
    await this.#all.set(keyOf(name), gzipSync(JSON.stringify(result)))
    await this.#all.set(newestKey, Buffer.from(name))
    return `${maskUrl(this.#place.url)}#${name}`
  }

  /**
   * The text of the result that the place names.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if there is none
   */
  async text(): Promise<string> {
    const newest = await this.#all.get(newestKey)
    const name = this.#place.name ?? (newest && Buffer.from(newest).toString())
    const found = name === undefined ? undefined : await this.#all.get(keyOf(name))
    if (found === undefined) throw this.#none(name)
    try {
      return gunzipSync(found).toString()
    } catch (cause) {
      const message = `The result '${name}' of ${maskUrl(this.#place.url)} is damaged.`
      throw new StoreError('INVALID_ARGUMENT', message, { cause })
    }
  }

  /**
   * The names of all results, in no order.
   *
   * @throws {StoreError} `UNSUPPORTED` if the store does not list its keys
   */
  async names(): Promise<readonly string[]> {
    const all = this.#all
    if (!supports(all, 'scan')) throw new StoreError('UNSUPPORTED', `${all.name} cannot list its keys.`)
    const names: string[] = []
    for await (const key of all.keys()) if (key.startsWith(prefix)) names.push(key.slice(prefix.length))
    return names
  }

  close(): Promise<void> {
    return this.#all.close()
  }

  #none(name: string | undefined): StoreError {
    const what = name === undefined ? 'no result' : `no result with the name '${name}'`
    const message = `${maskUrl(this.#place.url)} holds ${what}. Keep one with unikv bench run --results URL#NAME.`
    return new StoreError('INVALID_ARGUMENT', message)
  }
}

function notAPlace(text: string): StoreError {
  const message = `--results '${maskUrl(text)}' is not the URL of a store. Write it like redis://127.0.0.1#baseline; for a folder there is --out.`
  return new StoreError('INVALID_ARGUMENT', message)
}

function forgetful(): StoreError {
  const message =
    'A result in memory: would be gone with this process. Name a store that keeps what it is given.'
  return new StoreError('INVALID_ARGUMENT', message)
}
