import { createHash } from 'node:crypto'
import { type Bytes, StoreError } from '@unikv/core'
import { isBytes } from '@unikv/core/platform'
import type { Method } from '../engine.ts'

/** Longest dictionary. Each value pays for loading it, and deflate looks back no further than 32 KiB. */
export const maxDictionaryBytes = 131_072

/** Most dictionaries of one layer. */
const maxDictionaries = 16

/** Bytes of a dictionary's id, in front of each body that needs it. */
export const dictionaryIdBytes = 8

/** A dictionary with its name. */
export interface Dictionary {
  readonly bytes: Buffer
  /** The first 8 bytes of its SHA-256. */
  readonly id: Buffer
  /** For each byte of a frame: the method that reads it, made on first use. */
  readonly methods: Map<number, Method>
}

/**
 * The id that frames name a dictionary by: the first 8 bytes of its SHA-256, in hex.
 *
 * @throws {StoreError} `INVALID_CONFIG` if a dictionary is empty, or has more than 128 KiB
 */
export function dictionaryId(dictionary: Bytes): string {
  return named(dictionary).id.toString('hex')
}

/**
 * A dictionary as options give it. It is copied.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function named(dictionary: Bytes): Dictionary {
  if (!(isBytes(dictionary) && dictionary.length > 0 && dictionary.length <= maxDictionaryBytes))
    throw new StoreError('INVALID_CONFIG', `A dictionary must be 1 to ${maxDictionaryBytes} bytes.`)
  const bytes = Buffer.from(dictionary)
  const id = createHash('sha256').update(bytes).digest().subarray(0, dictionaryIdBytes)
  return { bytes, id, methods: new Map() }
}

/** The dictionaries that a reader knows. */
export class Dictionaries {
  readonly #byId: ReadonlyMap<string, Dictionary>

  /** @throws {StoreError} `INVALID_CONFIG` */
  constructor(dictionaries: readonly Bytes[]) {
    if (!Array.isArray(dictionaries) || dictionaries.length > maxDictionaries)
      throw new StoreError('INVALID_CONFIG', `dictionaries must be a list of at most ${maxDictionaries}.`)
    this.#byId = new Map(dictionaries.map(named).map((one) => [one.id.toString('hex'), one]))
  }

  /**
   * The dictionary that a record names.
   *
   * @throws {StoreError} `INVALID_CONFIG` for an unknown one
   */
  find(id: Bytes): Dictionary {
    const hex = Buffer.from(id).toString('hex')
    const found = this.#byId.get(hex)
    if (found !== undefined) return found
    const message = `The record was compressed with the dictionary ${hex}, which is missing here. Add it to the dictionaries of the compression.`
    throw new StoreError('INVALID_CONFIG', message)
  }
}
