import { createHmac } from 'node:crypto'
import { ownerKey, StoreError } from '@unikv/core/adapter'
import { nameKeyBytes } from './name-key.ts'

/*
 * From the canonical key that the application knows to the one that the store sees, byte by byte in
 * docs/reference/key-names.md.
 *
 *   root key                      name of the key
 *   key in a namespace            U+0001 name of the segment …, U+0002 name of the key
 *   internal record               U+0000 kind, the stored key of its owner, name of the part, U+0000 and its length
 *
 * A name is the beginning of an HMAC that covers the whole way to it, in base64url.
 */

const INTERNAL = '\u0000'
const SEGMENT = '\u0001'
const KEY = '\u0002'

/** Purposes of an HMAC: its first byte. */
const use = { segment: 1, key: 2, part: 3, check: 4 } as const

/** Segments with names of their own; deeper ones are in the name of the key alone, so that every key stays short. */
const namedSegments = 4

/** Two keys of one name would be one record; two segments of one name are only listed together. */
const keyNameBytes = 24
const segmentNameBytes = 16

const rootPath = Buffer.alloc(32)

/** Namespaces of which the names are remembered. */
const maxRemembered = 1000

/** A namespace: what its keys are led by in the store, and what their names are bound to. */
interface Place {
  readonly prefix: string
  readonly path: Buffer
}

const root: Place = { prefix: '', path: rootPath }

/** The names of one dataset under one name key. */
export class Naming {
  readonly #key: Buffer
  readonly #places = new Map<string, Place>()

  /** @throws {StoreError} `INVALID_CONFIG` for what `nameKey` did not make; the dataset was checked. */
  constructor(names: unknown, dataset: string) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(Buffer.byteLength(dataset))
    this.#key = createHmac('sha256', nameKeyBytes(names))
      .update('unikv/names/1')
      .update(length)
      .update(dataset)
      .digest()
  }

  /** 32 bytes that tell name keys and datasets apart, and nothing else. */
  get check(): Buffer {
    return this.#hash(use.check, rootPath, '')
  }

  /**
   * The canonical key under which the store keeps a record.
   *
   * @throws {StoreError} `INVALID_KEY` if this is not a canonical key
   */
  stored(canonical: string): string {
    const first = canonical.charCodeAt(0)
    if (first === 0) return this.#internal(canonical)
    const keyAt = first === 1 ? canonical.indexOf(KEY) + 1 : 0
    const { prefix, path } = first === 1 ? this.#placeOf(canonical.slice(0, keyAt)) : root
    return prefix + name(this.#hash(use.key, path, canonical.slice(keyAt)), keyNameBytes)
  }

  /**
   * The start of all stored keys whose true keys start with a prefix, as far as that can be told: to the
   * boundary of a namespace (`known`). The rest has to be filtered by the true keys.
   */
  storedPrefix(prefix: string): { readonly stored: string; readonly known: string } {
    const first = prefix.charCodeAt(0)
    if (first === 0) return { stored: prefix.slice(0, 2), known: '' }
    if (first !== 1) return { stored: '', known: '' }
    const [path = '', ...key] = prefix.slice(1).split(KEY)
    const segments = path.split(SEGMENT)
    // The last one may go on, unless the key follows.
    const whole = (key.length > 0 ? segments : segments.slice(0, -1)).slice(0, namedSegments)
    if (whole.length === 0) return { stored: SEGMENT, known: SEGMENT }
    const end = key.length > 0 || whole.length === namedSegments ? KEY : SEGMENT
    const { prefix: stored } = this.#place(whole)
    return { stored: stored.slice(0, -1) + end, known: SEGMENT + whole.join(SEGMENT) + end }
  }

  /** Kind and owner stay; a part may hold names, so it is hashed with all that it belongs to. */
  #internal(canonical: string): string {
    const owner = ownerKey(canonical)
    if (owner === undefined) throw notCanonical()
    const end = canonical.lastIndexOf(INTERNAL)
    const isWithoutPart = end === owner.length + 2
    const part = isWithoutPart ? '' : name(this.#hash(use.part, rootPath, canonical), keyNameBytes)
    const kind = canonical.slice(0, 2)
    if (!/[a-z]$/.test(kind) || (isWithoutPart && !canonical.endsWith(`${INTERNAL}0`))) throw notCanonical()
    return `${kind}${owner === '' ? '' : this.stored(owner)}${part}${INTERNAL}${part.length}`
  }

  #placeOf(prefix: string): Place {
    const known = this.#places.get(prefix)
    if (known !== undefined) return known
    if (prefix.length < 3) throw notCanonical()
    const place = this.#place(prefix.slice(1, -1).split(SEGMENT))
    if (this.#places.size >= maxRemembered) this.#places.clear()
    this.#places.set(prefix, place)
    return place
  }

  #place(segments: readonly string[]): Place {
    let path: Buffer = rootPath
    let prefix = ''
    for (const [i, segment] of segments.entries()) {
      path = this.#hash(use.segment, path, segment)
      if (i < namedSegments) prefix += SEGMENT + name(path, segmentNameBytes)
    }
    return { prefix: prefix + KEY, path }
  }

  #hash(what: number, path: Buffer, text: string): Buffer {
    return createHmac('sha256', this.#key).update(Buffer.of(what)).update(path).update(text).digest()
  }
}

function name(hash: Buffer, bytes: number): string {
  return hash.toString('base64url', 0, bytes)
}

function notCanonical(): StoreError {
  return new StoreError(
    'INVALID_KEY',
    'The key is not a canonical key. Create it with canonicalKey() or internalKey().',
  )
}
